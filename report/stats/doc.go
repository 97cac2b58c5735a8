// Package stats adds up who wrote the lines added by commits, and how long they lived.
//
//	Count     the commits of a query, and who wrote the lines that they added.
//	Now       the lines that a tree has today, as the commits that wrote them; blame says whose they are.
//	GroupBy   the same by agent, model, author, day, week, month, hour, directory, file or language, or by
//	            several of them.
//	Survival  how many of the lines were alive after days, in the history of first parents.
//
// Whose a line is, package graph says, as it does for everybody else who shows commits; nothing is decided here. The
// groups of a count add up to it: people and unknown lines are groups too. What a dimension does not tell of a line
// is a group of its own, and never put to another one.
//
// Nothing here draws, and nothing here knows of conversations, their tokens and their cost.
package stats
