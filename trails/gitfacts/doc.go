// Package gitfacts finds git's actions in a work tree between two moments. It does not handle owners.
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
// The package does not find the owner of a line or the origin of a content. Package trails derives them from its
// facts.
package gitfacts
