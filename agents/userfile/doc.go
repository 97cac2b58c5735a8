// Package userfile edits files that belong to the user and to other programs: settings, ignore lists, git hooks.
//
// A replacement is written beside the file, synced and renamed over it. So every reader sees the old content or the new
// one, also after a crash. It keeps the permissions and, where that is allowed, the owner; a symbolic link stays, and
// what it leads to is replaced. A file that changed since it was read is not overwritten.
//
// Several changes make a Plan, which is done as a whole or taken back. What git-trace has in a file of others stands in
// a Block, between two marker comments; taking it out leaves the bytes of before.
//
// Not kept are hard links and extended attributes. Two replacements at the very same moment are told apart only up to
// the rename; the agents do not lock their settings either.
package userfile
