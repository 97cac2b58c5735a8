// Package view is the one model of conversations for every command that shows them.
//
// A conversation can come from several sources: hooks and backfill write to the log, a record holds the texts, and
// other clones have their own logs and records. Each source has a part of the facts. Reader unites them by these rules:
//
//   - The time of a conversation is the time of its prompts and calls, not the time at which an event or a record was
//     stored.
//   - Prompts and calls come from the record, and later ones from the log.
//   - Written lines are known only for conversations that hooks saw. Lines in commits are known for all.
//   - A commit counts while HEAD or a ref leads to it. If it was rewritten, the new commit counts.
//   - Lines of commits that no hook reported are searched for (package correlate/unseen). The results are kept for as
//     long as refs and logs stay as they are.
//   - Tokens and cost are the record's. The sums are never smaller than the sums of the steps. For a record without a
//     cost, the cost of its tokens counts, by the table of prices.
//   - A line has the agent, the session and the model of its conversation. Log gives them to callers that ask who wrote
//     lines.
//   - If several logs have events of a conversation, one of them counts, this clone's before all others. Observations
//     of other clones are shown separately, and not added.
//
// Texts are redacted before they are shown. The package draws nothing, and writes only disposable caches.
package view
