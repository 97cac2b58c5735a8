// Package transcripts reads the edits of conversations from the session files of agents.
//
// Find lists the files; it recognises them by their content. Read gives the time, the prompts and the edits of each
// conversation. The edits have the form in which correlate/backfill searches them in commits: replaced texts, hunks,
// whole files, and repeated substitutions of sed and perl. It counts calls that may have written lines that no session
// file shows. The package does not use commits, and writes nothing.
package transcripts
