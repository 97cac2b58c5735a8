// Package figures counts the lines of commits and what the conversations behind them used: tokens, cost and models.
//
// Sums adds up commits and conversations, by author, by agent, by model and in the groups that were asked for. The
// parts add up to the sums. A conversation counts once, and its cost is unknown where neither a price nor its client
// tells it. The package draws nothing: commands, reports and pages show the same sums.
package figures
