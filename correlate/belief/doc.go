// Package belief decides which source counts if several name owners in one commit: the hooks of this clone, a backfill,
// an import, the logs of other clones. Every reader of committed owners uses it.
//
// Within one log a later anchor replaces an earlier one, line by line, if it knows the owner. There are two exceptions:
// a reconstructed anchor does not replace an anchor by a hook, and an imported anchor replaces neither of them.
// Example: a note of git-ai gives a line to an agent, but the post-commit hook saw a person write it. The line stays
// the person's. One kind of line can be disputed: hooks call a line a person's if no agent was reported. A conversation
// that no hook reported may have its own record of its edits. That record takes the line, if the commit has exactly the
// recorded line.
//
// Between logs this order decides, line by line:
//
//  1. a log that knows the owner before one without;
//  2. this clone's log before the others, and before its own log under an id that it gave up;
//  3. anchors by hooks before reconstructed ones, and these before imported ones;
//  4. the better evidence (correlate.Tiers);
//  5. the smaller id of the writer, so that all clones with the same logs answer the same.
//
// A log is a voice (events.Voice): a writer's id on one remote, until one key has signed the id's logs on several. If
// two remotes have one id, the signed log counts, then the log of the remote in trace.remote. Otherwise the line is
// disputed with any evidence: one of the two may be a forgery.
//
// Example: here a hook saw a person write a line, and a fetched log says that an agent wrote it there. The line is the
// person's.
//
// The findings of a search have no anchor (Commit.Fill). In a commit that hooks saw, they fill unknown lines. A claim
// carried from an older commit can dispute a person's line there as in that commit. If a commit has only claims,
// findings and claims are equal: the better evidence counts.
//
// Logs of others are foreign. An invalid event counts for nothing, and the data of a log about one path is bounded.
package belief
