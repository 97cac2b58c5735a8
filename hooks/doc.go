// Package hooks installs git-trace's part in the git hooks of a repository, reports its state, and removes it. It
// records nothing. docs/hooks.md describes it for users. In this package "our" means git-trace's.
//
// Git has one file for each hook, and it may already contain another program's hook. That hook keeps its bytes,
// permissions, arguments, standard input and exit status:
//
//   - A shell script gets our lines after its "#!" line, between marker comments. At the end they would not run,
//     because every hook manager ends its script with exit or exec. In a separate file that runs first, $0 would be
//     different, and husky reads $0.
//   - Any other hook (another language, a program, a link, a file that git ignores) is renamed, with a hard link. Ours
//     gets its name and runs it with exec. If the hook is a link to a shell script, ours reads the script in the same
//     shell, so that $0 stays the same.
//   - If the hooks are part of the work tree, core.hooksPath is set to a directory of our own, whose hooks run the
//     hooks of the former directory. This is the exception, because lefthook and pre-commit refuse to install if
//     core.hooksPath has an unknown value.
//
// Invariants. No process starts if <common>/traces is missing. Nothing is printed, except for the line of
// trace.summary. Our lines end with success under `set -eu` in any POSIX shell. Only hooks that cannot stop a command
// are used, except for two that users must ask for: one adds trailers, the other shares data after a push. Both
// programs get the whole standard input of post-rewrite. Between any two steps of an install all earlier hooks still
// run, and a step that fails undoes the steps before it. Remove removes exactly what Install added, even if the receipt
// is lost.
//
// The package does not promise three things. The hook does not stop a program that hangs: the program has its own time
// limit. A hook manager that rewrites its hooks overwrites ours: Status reports that, and Install repairs it. On
// Windows every file counts as executable.
package hooks
