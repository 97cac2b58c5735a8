// Package userfile edits files that belong to the user and to other programs: settings, ignore lists, git hooks.
//
// A replacement is written beside the file, synced and renamed over it. So every reader sees the old content or the new
// one, also after a crash. It keeps the permissions and, if permitted, the owner; a symbolic link stays, and its target
// is replaced. A file that changed since it was read is not overwritten.
//
// Several changes make a Plan, which is done or undone as a whole. git-trace's part of another program's file is a
// Block, between two marker comments; removing it restores the former bytes.
//
// Hard links and extended attributes are not kept. Two replacements at the same moment are noticed only before the
// rename; the agents do not lock their settings either.
package userfile
