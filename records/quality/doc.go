// Package quality assesses a record for four kinds of users: people who train models, people who learn from rewards
// (rl), people who count (analytics), and people who search for work in a field (domain).
//
// [Assess] runs 34 checks. Each check gives a share from 0 to 1, or does not apply. The score for a persona is the
// weighted mean of the checks that apply, times 100. A record with fewer than two steps or without a tool call does not
// pass the gate ([MeetsGate]); it still gets scores, with a note.
//
// A score says how complete a record is, and not how good the work was.
package quality
