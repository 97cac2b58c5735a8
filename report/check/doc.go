// Package check compares a change with a policy: the agents and models that may write a path, the paths that need a
// person's review, the number of unknown lines that a change may have, and the logs that count.
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
// If a path matches several sections, a later section's key replaces the same key of an earlier one.
//
// It promises:
//
//   - An unknown line does not pass a rule about agents, models or review, unless "unknown" allows it.
//   - Changed files without lines, such as binary ones, and files moved to a path with a rule, are findings unless a
//     person reviewed them. Removed lines have no owner: they are listed, but are not findings.
//   - An unknown word in a policy is an error. The size of a policy, its rules and its lists have limits.
//
// It does not promise that a trailer or a log is true: a signature only shows its author.
package check
