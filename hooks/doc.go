// Package hooks puts git-trace's part into the git hooks of a repository, reports its state, and removes it. It records
// nothing. docs/hooks.md is its page for users.
//
// Git has one file for each hook, and somebody else's may be in it. It keeps its bytes, permissions, arguments,
// standard input and exit status:
//
//   - A shell script gets our lines after its "#!" line, between marker comments. At the end they would not run: every
//     hook manager ends its script with exit or exec. In a file put before it, $0 would be another, which husky reads.
//   - Anything else (another language, a program, a link, a file git ignores) gets a second name, which is a hard link.
//     Ours takes the first name and hands over with exec. A link to a shell script is read in instead, so that $0
//     stays.
//   - Where a hook is part of the work tree, core.hooksPath is pointed at a directory of ours, which hands over every
//     hook. This is not the rule: lefthook and pre-commit refuse to install beside a core.hooksPath they do not know.
//
// Invariants: no process is started where there is no <common>/traces; nothing is printed, except for the line of
// trace.summary; our lines end in success under `set -eu` in any POSIX shell; only hooks that cannot stop a command are
// used, except for the one that adds trailers, for those who ask for it; the standard input of post-rewrite reaches
// both sides in full; between any two steps of an install every hook that ran before still runs, and a step that fails
// takes back those before it; taking out cuts exactly what was put in, also without the receipt.
//
// Not promised: a program that hangs is cut off by its own clock, not by the hook; a hook manager that rewrites its
// hooks writes over ours, which Status tells and Install mends; on Windows every file counts as executable.
package hooks
