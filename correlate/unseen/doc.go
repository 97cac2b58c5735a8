// Package unseen finds the owners of the lines of commits that have no anchor: no hook reported them. Hooks may
// have been switched off, or another tool or another clone made the commits. Or history was rewritten and git said
// nothing.
//
// It goes from strong evidence to weak evidence, and stops at the first that speaks of a line:
//
//   - exact_blob: the committed content was seen in a work tree of this repository, under this path or another one;
//   - rewritten: the log says that the commit took the place of another one (commit_rewritten), whose anchor knows the
//     line;
//   - same_patch: an anchored commit changed a file in the same way, with white space and place apart, or several
//     commits of another clone did together;
//   - exact_lines, reformatted, moved_lines: contents that the path is known to have had hold the lines. A commit hook
//     finds them so for a file that was staged in part;
//   - line_fingerprint: patches wrote the lines. A line must say something (minSpecific), and in another file so must
//     the lines around it (minMoved). Patches of several owners that fit equally well cancel each other out.
//
// Whatever is found must be able to be the cause. The log had the patch before it named the commit, a descendant of it,
// or any other commit made since. And the commit is not dated before a commit that was there when the patch was made.
// Everything else stays unknown; nothing is guessed from clocks alone, authors or messages.
//
// The work is bounded by what is asked for. A line that no log speaks of costs a look into a sorted table
// (index.Digest). One git process tells all commits apart that were made before the log began. Answers are kept until a
// log speaks of something that they were made of.
package unseen
