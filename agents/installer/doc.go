// Package installer puts hooks where an agent reads them and takes them out again, the same way for every agent.
//
// An agent decides the place of the file (Place) and its content (Format): entries in a settings file that belongs
// to the user and to other tools, or a whole file of our own. The rest is common. Everything is validated before
// anything is written, and a failure takes back what was written. Nothing is done twice, and removal leaves the
// bytes that were there.
//
// A file in the work tree may be meant for one person alone. A rule in the clone's own ignore file keeps it out of
// commits and snapshots. Where the repository tracks it, it is refused.
package installer
