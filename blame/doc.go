// Package blame answers, for each line of a file, which conversation, prompt and tool call wrote it.
//
// Git finds the commit, the original path and the original line: `git blame` runs once, with the user's own arguments,
// in the user's own directory. A [Resolver] then says who wrote that line of that commit. The package never guesses:
// what the resolver does not know is shown as unknown.
//
// Data flows in one direction:
//
//	Parse      the argument vector into Options (what is ours, what is git's)
//	Parser     git's porcelain stream into entries, with git's own bytes kept
//	join       entries and the resolver's answers into Annotated lines
//	Render, WriteJSON, or the pass-through writer for git's own three formats
//
// Invariants, and where they are tested:
//
//   - Without its `trace-*` header lines the output of --porcelain, --line-porcelain and --incremental is, byte for
//     byte, that of git for the same arguments (passthrough_test.go).
//   - Where git credits a line to a commit that did not write it (--reverse, --first-parent, -S, limited ranges), the
//     owner comes from a second, plain blame of the same final content, never from positions (owners_test.go).
//   - Drawing is pure, and no control character of a file, a name or a log reaches a terminal (render_test.go).
//
// It does not decide whether there is a terminal, starts no pager and prints no errors: that is for the caller.
package blame
