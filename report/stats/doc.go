// Package stats counts the owners of the lines that commits added, and how long the lines lived.
//
//	Count     the commits of a query, and who wrote the lines that they added.
//	Now       the lines that a tree has today, as the commits that wrote them; blame says whose they are.
//	Groups    the same by agent, model, author, day, week, month, hour, directory, file or language, or by
//	            several of them.
//	Survival  how many of the lines were alive after days, in the history of first parents.
//
// The owners come from package graph, as for every other view of commits. The groups add up to the count: people and
// unknown lines are groups, too. Lines with an unknown value in a dimension form a group.
//
// The package draws nothing, and knows nothing of conversations' tokens and costs.
package stats
