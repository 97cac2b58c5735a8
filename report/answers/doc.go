// Package answers has the types of --json answers whose parts come from several packages. A caller of a command decodes
// its answer with the type that the command filled.
//
// Answers of one package are there: [blame.LinesJSON] and [blame.RunsJSON], [trail.Document], [graph.Document],
// [diff.Document], [figures.Stats], [span.Report] and [why.Place].
package answers
