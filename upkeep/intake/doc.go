// Package intake takes conversations and owners of lines from files: session files of agents, as backfill does, and
// files of other programs. It writes only what the log does not know better. A file with an error is refused as a
// whole. A second run over the same files changes nothing.
package intake
