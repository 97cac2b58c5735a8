// Package stats adds up who wrote the lines added by commits, and how long they lived.
//
//	Count     the commits of a query, and who wrote the lines that they added.
//	Now       the lines that a tree has today, as the commits that wrote them; blame says whose they are.
//	GroupBy   the same by agent, model, author, day, week, month, hour, directory, file or language, or by
//	            several of them.
//	Survival  how many of the lines were alive after days, in the history of first parents.
//
// Package graph gives the owners of lines, as for every other view of commits; nothing is decided here. The groups of a
// count add up to it: people and unknown lines are groups too. Lines whose value of a dimension is not known are a
// group of their own.
//
// The package draws nothing, and does not use conversations, their tokens or their cost.
package stats
