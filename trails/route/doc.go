// Package route finds the work trees that a boundary concerns, and the paths in them to which a call may write.
//
// It opens a repository only if its user records it, because anybody may choose the path that a call names. A path
// means the file to which it leads. If the path is a symbolic link, it also means the link.
//
// It does not decide whether a call wrote there (package trails does).
package route
