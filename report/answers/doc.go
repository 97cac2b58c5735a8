// Package answers has the answers of commands with --json whose parts come from several rooms. Whoever runs a command
// decodes its answer with the type that the command filled.
//
// The answers of one room are there: [blame.LinesJSON] and [blame.RunsJSON], [trail.Document], [graph.Document],
// [diff.Document], [figures.Stats], [span.Report] and [why.Place].
package answers
