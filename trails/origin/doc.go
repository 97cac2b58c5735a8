// Package origin finds the contents from which a new content may have been made, and the owners of its lines.
//
// A changed content is made of candidates: contents that its path had, or that git may have taken it from. Git's traces
// name the candidates and the trust in each. Explain compares the content with them. Package trails decides the owner
// of lines that no candidate has: whoever had a window open.
//
// For example, somebody merges a branch. The merged file has only lines of the file before and of the branch. Each line
// keeps the owner that it had there.
package origin
