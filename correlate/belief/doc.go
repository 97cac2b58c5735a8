// Package belief decides which source counts if several sources name owners for one commit: the hooks of this clone, a
// backfill, an import, the logs of other clones. Everything that shows owners of committed lines uses it.
//
// Within one log a later anchor replaces an earlier one, line by line, if it knows the owner. There are two exceptions:
// a reconstructed anchor does not replace an anchor by a hook, and an imported anchor replaces neither of them.
// Example: a note of git-ai gives a line to an agent, but the post-commit hook saw a person write it. The line stays
// the person's. One kind of line can be disputed: a line that hooks call a person's because no agent was reported. An
// unreported agent may have its own record of its edits. That record takes the line if the commit has exactly the
// recorded line.
//
// Between logs this order decides, line by line:
//
//  1. a log that knows the owner wins over one that does not;
//  2. this clone's log wins over the others, and over its own log under an id that it gave up;
//  3. anchors by hooks win over reconstructed ones, and both win over imported ones;
//  4. the better evidence wins (correlate.Tiers);
//  5. the smaller id of the writer wins, so that all clones with the same logs give the same answer.
//
// A voice (events.Voice) is a writer's id on one remote. If the same key has signed the logs of an id on several
// remotes, they are one voice. If two voices have the same id, the signed log counts, otherwise the log of the remote
// in trace.remote. If neither decides, the line is disputed whatever the evidence: one of the two logs may be a
// forgery.
//
// Example: a hook of this clone saw a person write a line, and a fetched log says that an agent wrote it. The line is
// the person's.
//
// The findings of a search have no anchor (Commit.Fill). In a commit that hooks saw, they fill unknown lines. A claim
// about an older commit can dispute a person's line in the commit that replaced it, as in the older commit. If a commit
// has only claims, findings and claims are equal: the better evidence counts.
//
// Logs of other clones are not trusted. An invalid event is ignored, and the data that a log may give about one path is
// bounded.
package belief
