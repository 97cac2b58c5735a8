// Package figures counts the lines of commits and what the conversations behind them used: tokens, cost and models.
//
// Sums adds up commits and conversations, by author, by agent, by model and in the requested groups. The parts add up
// to the sums. A conversation counts once, and its cost is unknown if neither the prices nor its client give it. The
// package draws nothing: commands, reports and pages show the same sums.
package figures
