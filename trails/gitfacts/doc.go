// Package gitfacts tells what git did in a work tree between two moments. It knows no owner.
//
// A Mark is the state of git at one moment. Between two marks lies the Work: the moves of HEAD, whether files were
// written, which commits the operation was about, which stashes came and went. Each of these is read when it is first
// asked for, and once.
//
// Three promises:
//
//   - No other package reads a reflog, and none other says what its messages mean. The table in kind.go is the only
//     one.
//   - A commit, a stash or a file that is gone tells nothing. It is never a failure.
//   - Whatever git says nowhere is not guessed. An Operand of which nothing tells that git took from it is marked so.
//
// Objects are read through Reader, five reads that a map satisfies in tests. Git is the real one.
//
// The package does not say who wrote a line, nor what a content was made of. That follows from its facts in package
// trails.
package gitfacts
