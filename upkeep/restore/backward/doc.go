// Package backward computes the tree that the work tree would have without the work of a conversation, a prompt, a call
// or a patch, or without the agents' part of a commit.
//
// [Find] lists the patches of the work in this clone's timeline. If hooks did not see the work, [Committed] finds its
// lines in commits of HEAD. [Make] removes these changes from the present content of each file (package weave), and
// stores the tree. Package restore then writes it to the work tree.
//
// It promises:
//
//   - Nothing is written but objects of the side store.
//   - Contents come from this clone's own log, or from commits reachable from HEAD. Objects that only a fetched log
//     names are not read.
//   - A file that the work created is deleted, if nobody else wrote in it. A file that the work deleted comes back.
//   - A file without lines (binary, a link) changes only if nobody changed it after the work.
//   - A change that cannot be undone is reported with the reason ([File.Left]).
//
// It does not decide who owns the lines that come back: the timeline does.
package backward
