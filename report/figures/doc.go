// Package figures counts the lines of commits and the usage of their conversations: tokens, cost and models.
//
// Sums counts both by author, by agent, by model and in the requested groups. The parts add up to the totals. A
// conversation counts once. Its cost is unknown if neither the price table nor its client gives it. Commands,
// reports and pages show the same figures. Table draws them for a terminal, as CSV and as Markdown.
package figures
