// Package route finds the work trees that a boundary concerns, and the paths in them that a call may write.
//
// It opens a repository only if its user records it: anybody may choose the path that a call names. A path counts by
// the file that it leads to; where it is a link, the link counts as well.
//
// It does not say whether a call did write there (package trails).
package route
