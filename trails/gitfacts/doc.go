// Package gitfacts finds git's actions in a work tree between two moments. It does not handle owners.
//
// A Mark is the state of git at one moment. Between two marks lies the Work: the moves of HEAD, whether files were
// written, which commits the operation was about, which stashes came and went. Each of these facts is read once, at its
// first use.
//
// Three promises:
//
//   - No other package reads a reflog or interprets its messages. The table in kind.go is the only one.
//   - A missing commit, stash or file gives no facts. It is never a failure.
//   - Facts that git does not record are not guessed. An Operand is marked if nothing shows that git took from it.
//
// Objects are read through Reader, five reads that a map satisfies in tests. Git is the real one.
//
// The package does not find the owner of a line or the origin of a content. Package trails derives them from its
// facts.
package gitfacts
