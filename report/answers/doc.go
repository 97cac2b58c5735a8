// Package answers has the types of --json output whose parts come from several packages. A program that calls a command
// decodes the output with the type that the command encoded.
//
// The other types are in their packages: [blame.LinesJSON] and [blame.RunsJSON], [trail.Document], [graph.Document],
// [diff.Document], [figures.Stats], [span.Report] and [why.Place].
package answers
