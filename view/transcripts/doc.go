// Package transcripts takes out of the session files of agents what their conversations wrote.
//
// Find names the files, each told by its content. Read gives for each conversation when it was, what was asked, and the
// edits of its calls. The edits have the form in which correlate/backfill looks for them in commits. They are replaced
// texts, hunks, whole files, and substitutions of sed and perl that are made again. Calls that may have written what no
// transcript tells are counted. Nothing here knows a commit, and nothing is written.
package transcripts
