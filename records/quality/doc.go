// Package quality judges a record by what four kinds of readers need of it: those who train models, those who learn
// from rewards (rl), those who count (analytics) and those who look for work of a field (domain).
//
// [Assess] runs 34 checks. Each gives a share from 0 to 1 or does not apply. The score of a persona is the weighted
// mean of its checks that apply, times 100. A record that has fewer than two steps or no tool call is not worth
// judging ([MeetsGate]); it is judged all the same, and says so.
//
// A score says how complete a record is, not how good the work was.
package quality
