// Package gitfacts finds what git did in a work tree between two moments. It does not handle owners.
//
// A Mark is the state of git at one moment. Work is the difference between two marks: the moves of HEAD, whether files
// were written, the commits that took part, the stashes that were added or removed. Each of these facts is read at its
// first use, and only once.
//
// The package promises three things:
//
//   - No other package reads a reflog or interprets its messages. The only table of messages is in kind.go.
//   - A missing commit, stash or file gives no facts. It is not an error.
//   - Facts that git does not record are not guessed. If nothing shows that git took contents from an Operand, the
//     Operand is marked.
//
// Objects are read through Reader. It has few methods, so that a map can implement it in tests. Git is the real
// implementation.
//
// The package does not find the owner of a line or the origin of a content. Package trails derives both from these
// facts.
package gitfacts
