// Package backward makes the tree of a work tree without the work of a conversation, a prompt, a call or a patch, or
// without the agents' part of a commit.
//
// [Find] lists the changes: the patches of this clone's timeline, or, where hooks did not see the work, what commits of
// HEAD hold of it. [Make] lays them backwards over the present content of each file (package weave) and stores the
// tree; package restore puts it into the work tree.
//
// It promises:
//
//   - Nothing is written but objects of the side store.
//   - Contents come from this clone's own log, or from commits that lead to HEAD. Objects that only a fetched log names
//     are not read.
//   - A file that the work created goes, if nobody else wrote in it. A file that the work deleted comes back.
//   - A file without lines (binary, a link) changes only if it is as the work left it.
//   - What cannot be undone is reported, with its reason ([File.Left]).
//
// It does not say who owns the lines that come back: the timeline does.
package backward
