// Package facts finds what the log and the repository know of a conversation, for its record.
//
// These are the commits of the conversation with their tiers, the branches on which they were made, the lines that they
// have from it, the lines that it took out, and its end. Each comes from evidence: an anchor, a reflog, an object. A
// commit that only the time and the files connect with the conversation has the weakest tier.
//
// The package stores nothing. Package recorder asks it when it writes a record ([For]). A backfill asks it for many
// conversations ([ForMany]), and git is asked once for what they have in common.
package facts
