// Package quality judges a record by the needs of four kinds of readers: people who train models, people who learn from
// rewards (rl), people who count (analytics) and people who search for work of a field (domain).
//
// [Assess] runs 34 checks. Each gives a share from 0 to 1 or does not apply. The score of a persona is the weighted
// mean of its checks that apply, times 100. A record with fewer than two steps or without a tool call does not pass the
// gate ([MeetsGate]); it still gets scores, with a note.
//
// A score says how complete a record is, not how good the work was.
package quality
