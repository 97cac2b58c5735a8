// Package origin says what a content may have been made of, and whose its lines are then.
//
// A changed content is made of candidates: contents that its path had, or that git may have taken it from. Git's traces
// say which candidates there are, and how far each is to be believed. Explain lays the content over them. What no
// candidate has belongs to whoever had a window open, which package trails decides.
//
// For example, somebody merges a branch. The merged file has lines of what was there before, of the branch, and of
// nobody else; each line keeps its owner in the content which it came from.
package origin
