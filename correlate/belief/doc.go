// Package belief decides whose word counts where several speak of the lines of one commit: the hooks of this clone, a
// backfill, an import, the logs of other clones. Whatever tells who wrote a committed line asks it.
//
// Within one log every anchor is laid over those before it. An anchor that knows the owner of a line takes the line,
// with two exceptions: what was reconstructed does not take a line that hooks saw, and what was imported takes neither.
// Example: a note of git-ai calls a line an agent's that the post-commit hook saw a person write. The line stays the
// person's. One kind of line may be disputed. Hooks call a line a person's where they were told of no agent. A
// conversation that no hook reported may have its own record of what it wrote. By that record it takes such a line,
// if the line stands in the commit as it was written.
//
// Between logs this order decides, line by line:
//
//  1. a log that knows the owner before one without;
//  2. this clone's log before the others, and before what this clone wrote under an id that it gave up;
//  3. what hooks saw before what was reconstructed, and that before what was imported;
//  4. the better evidence (correlate.Tiers);
//  5. the smaller id of the writer, so that all clones with the same logs answer the same.
//
// A log is a voice (events.Voice): a writer's id on one remote, until one key signed what the id says on several. Of
// one id on two remotes what is signed counts, then what the remote says that trace.remote names. Otherwise the line is
// disputed, whatever the evidence: one of the two may be anybody.
//
// Example: here a hook saw a person write a line, and a fetched log says that an agent wrote it there. The line is the
// person's.
//
// What a search finds stands in no anchor (Commit.Fill). In a commit that hooks saw, it fills unknown lines. There a
// claim that is carried from an older commit disputes a person's line as it did in that commit. If only claims speak
// of a commit, the findings weigh as much as a claim: the better evidence counts.
//
// Logs of others are foreign. An event that is not what it claims to be explains nothing, and a log may say only so
// much of a path.
package belief
