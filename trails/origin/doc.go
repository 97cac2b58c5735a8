// Package origin finds the contents from which a new content may have been made, and the owners of its lines.
//
// The candidates are contents that the path had, or that git may have brought. Git's traces name the candidates and the
// trust in each. Explain compares the content with them. Lines that no candidate has get their owner in package trails,
// by the open windows.
//
// For example, somebody merges a branch. The merged file has only lines from the earlier file and from the branch. Each
// line keeps the owner that it had there.
package origin
