// Package installer puts hooks where an agent reads them and takes them out again, the same way for every agent.
//
// What differs from agent to agent is where the file lies (Place) and what is written into it (Format): entries in a
// settings file that belongs to the user and to other tools, or a whole file of our own. The rest is common: everything
// is validated before anything is written, a file is replaced at once, nothing is done twice, and removal leaves the
// bytes that were there.
//
// A file in the work tree that is meant for one person alone is kept out of commits and snapshots by a rule in the
// clone's own ignore file, and is refused where the repository tracks it.
package installer
