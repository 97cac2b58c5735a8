// Package installer adds hooks to an agent's files and removes them, in the same way for every agent.
//
// For each agent, Place is the location of the file and Format is its content: entries in a settings file that the user
// and other tools also use, or a whole file of git-trace's own. Everything else is common. Everything is validated
// before a file is written, and after a failure the changes are undone. A second installation changes nothing, and
// removal restores the former bytes.
//
// A file in the work tree may be meant for only one person. A rule in the clone's own ignore file then keeps it out of
// commits and snapshots. If the repository tracks the file, the installation is refused.
package installer
