// Package facts finds the facts of the log and the repository about a conversation, for its record.
//
// The facts are the commits of the conversation with their tiers, the branches on which they were made, its lines in
// them, the lines that it removed, and its end. Each comes from evidence: an anchor, a reflog, an object. If only the
// time and the files connect a commit with the conversation, the commit has the weakest tier.
//
// The package stores nothing. Package recorder calls it when it writes a record ([For]). A backfill calls it for many
// conversations ([ForMany]); then git answers their common questions at once. Steering has the facts about the calls
// and patches of a conversation, for the export of steering.
package facts
