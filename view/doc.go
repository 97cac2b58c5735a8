// Package view is one model of conversations for every command that shows them.
//
// A conversation can come from several sources: hooks and backfill write to the log, a record holds the texts, and
// other clones have their own logs and records. Each source has a part. Reader unites them by these rules:
//
//   - A conversation's time is that of what happened in it. When an event or a record was stored does not count.
//   - Prompts and calls are those of the record, and those of the log that came after the record.
//   - Lines written are known of conversations that hooks saw. Lines in commits are known of all.
//   - A commit counts while a branch, a tag or another ref leads to it, or HEAD. Where it was rewritten, its heir
//     counts.
//   - Lines of commits that no hook reported are searched for (package correlate/unseen). What is found is kept for as
//     long as refs and logs stay as they are.
//   - Tokens and cost are the record's. The sums are never smaller than what the steps add up to. A record without a
//     cost has that of its tokens, by the table of prices.
//   - A line has the agent, the session and the model of its conversation. Log gives them to those who ask who wrote
//     lines.
//   - Of several logs that have events of a conversation one tells of it, this clone's before all others. What other
//     clones saw of it is told beside that, and not added.
//
// Texts are redacted before they are shown. The package draws nothing, and writes only disposable caches.
package view
