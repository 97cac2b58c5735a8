// Package blame finds, for each line of a file, the conversation, prompt and tool call that wrote it.
//
// Git finds the commit, the original path and the original line (package gitblame). A [Resolver] then finds the owner
// of that line in that commit. The package never guesses: a line without evidence is unknown.
//
// Data flows in one direction:
//
//	gitblame.Parse  parses the arguments into git-trace's own options and git's
//	gitblame.Open   starts the blame; its entries come from the cache, from git, or from both
//	owners          finds the owner of each entry's lines with the resolver
//	Render, writeJSON, or the pass-through writer (git's own three formats) write the output
//
// Invariants, and their tests:
//
//   - Without the `trace-*` header lines, the output of --porcelain, --line-porcelain and --incremental equals git's
//     output for the same arguments, byte for byte (passthrough_test.go).
//   - Git may credit a line to a commit that did not write it (--reverse, --first-parent, -S, limited ranges). In these
//     cases the owner comes from a second, plain blame of the same final content. It never comes from line positions
//     (owners_test.go).
//   - Drawing depends only on its arguments, and no control character of a file, a name or a log reaches a terminal
//     (render_test.go).
//
// The porcelain and incremental formats get these additional header lines, in this order. Only trace-contributor is in
// every block. A block of headers is valid until the next one:
//
//	trace-lines START COUNT    the final lines of the block; only in the incremental format
//	trace-contributor KIND     ai, human, mixed, unknown
//	trace-older true           only for an unknown line that is older than the recording
//	trace-id, trace-agent, trace-model, trace-session, trace-subagent, trace-step, trace-tool, trace-tool-call
//	trace-prompt NUMBER        with --prompts also trace-prompt-text TEXT, on one line
//	trace-patch, trace-evidence, trace-confidence, trace-previous
//	trace-candidate TRACE CALL, trace-limit WORD: one line for each
//
// The package does not check for a terminal, start a pager or print errors: the caller does.
package blame
