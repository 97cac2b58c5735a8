// Package graph shows commits together with the conversations that wrote their lines.
//
// The commits of a range, their order and the edges between them come from one `git log --graph`, so git alone draws
// the topology. Next to each commit are the facts from the event log. A commit that no event names is shown without
// facts. This package guesses nothing; package correlate searches for missing anchors.
//
//	Walk    yields commits as git finds them, each with its contributors
//	Build   returns all these commits
//	Drawer  draws text for a terminal; it depends only on the commits and a Style
//	WriteDOT, WriteMermaid, WriteHTML   write a graph for Graphviz, Markdown and browsers
//	WriteJSON   writes the form git-trace.graph/1 (docs/schema/graph-1.schema.json)
//
// Invariants, and their tests:
//
//   - Names, subjects and paths may contain any bytes: git's output is still parsed correctly (gitlog_test.go). Only
//     printable text reaches the screen (draw_test.go). In the other formats such bytes have no special meaning
//     (forms_test.go).
//   - Lines below a commit continue git's edges as git itself would draw them (edges_test.go).
//   - Every line fits into the width of the Style, unless the Style asks for whole texts.
//   - The lines of all contributors of a commit add up to the lines that its anchor counts as added.
package graph
