// Package export writes what leaves a repository in a format of other programs: stored conversations, a tree of their
// prompts, states for training, and the owners of the lines of commits. A fault in one conversation does not stop the
// others.
package export
