// Package userfile edits files that belong to the user and to other programs: settings, ignore lists, git hooks.
//
// A replacement is written to a new file next to the old one, synced and renamed. So every reader sees either the old
// content or the new one, even after a crash. The permissions and, if permitted, the owner are kept. A symbolic link is
// kept, and its target is replaced. A file that has changed since it was read is not overwritten.
//
// Several changes form a Plan, which is applied or undone as a whole. git-trace's part of another program's file is a
// Block between two marker comments; removing it restores the former bytes.
//
// Hard links and extended attributes are not kept. Two replacements at the same time are only detected before the
// rename; the agents do not lock their settings either.
package userfile
