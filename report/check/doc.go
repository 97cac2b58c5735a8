// Package check compares a change with a policy: which agents and models may write where, which paths need a person's
// review, how many lines without a known owner a change may have, and whose logs count.
//
// The policy is a file in the form of git-config(1), read by git from a commit of the target branch. So a change cannot
// loosen its own policy:
//
//	[policy]
//	    signed = true
//	    reviewers = *@example.com
//	[paths "src/**"]
//	    unknown = 10%
//	[paths "src/crypto/"]
//	    agents = none
//	    review = true
//
// A key of a later section replaces the key of an earlier one, for paths that both match.
//
// It promises:
//
//   - A line that the evidence does not cover does not pass a rule. Where a rule limits agents, models or review, a
//     line without a known owner is a finding, unless "unknown" allows it.
//   - Files without lines, such as binary ones, and files that were moved below a rule, are findings unless a person
//     reviewed them. Removed lines have no owner: they are listed, and are not findings.
//   - A policy with an unknown word is an error. Its size, its rules and its lists have limits.
//
// It does not promise that a trailer or a log is true: a signature shows only who made it.
package check
