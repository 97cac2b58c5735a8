// Package installer puts hooks into an agent's files and removes them again, in the same way for every agent.
//
// An agent decides the place of the file (Place) and its content (Format): entries in a settings file that belongs to
// the user and to other tools, or a whole file of our own. The rest is common. Everything is validated before a file is
// written, and after a failure the changes are undone. A second installation changes nothing, and removal restores the
// former bytes.
//
// A file in the work tree may be meant for one person alone. A rule in the clone's own ignore file keeps it out of
// commits and snapshots. If the repository tracks the file, it is refused.
package installer
