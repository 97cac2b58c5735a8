// Package graph shows commits beside the conversations whose lines they hold.
//
// The commits of a range, their order and the lines between them come from one `git log --graph`. So the topology is
// drawn by git and by nobody else. The facts of the event log are next to each commit. A commit that no event speaks of
// stays without a word: nothing is guessed here, searching for lost anchors is package correlate's.
//
//	Walk    commits one by one, as git finds them, each with its contributors
//	Build   the same, collected
//	Draw    text for a terminal: pure, from the graph and a Style
//	WriteDOT, WriteMermaid, WriteHTML   for Graphviz, for Markdown, for a browser
//	WriteJSON, the form git-trace.graph/1 (docs/schema/graph-1.schema.json)
//
// Invariants, and where they are tested:
//
//   - Names, subjects and paths may hold any bytes. The structure of git's output is still read right (gitlog_test.go).
//     Nothing but printable text reaches the screen (draw_test.go), and in the other forms it means nothing
//     (forms_test.go).
//   - Lines put beside a commit continue git's edges: they are drawn as git itself would draw them (edges_test.go).
//   - Eighty columns hold every line drawn.
//   - The lines of all contributors of a commit add up to what the anchor calls added.
package graph
