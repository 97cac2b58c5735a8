// Package figures counts the lines of commits and the usage of their conversations: tokens, cost and models.
//
// Sums adds up commits and conversations, by author, by agent, by model and in the requested groups. The parts add up
// to the sums. A conversation counts once. Its cost is unknown if the prices and its client do not give it. The package
// draws nothing: commands, reports and pages show the same sums.
package figures
