// Package tracestate makes states of a conversation: what the model saw when it had to answer, and what it did.
// Programs that compare models replay them; programs that train models learn from them.
//
// A state is a TraceState of the composer replication framework with the members of its TraceExample: one for each
// answer, not one for each line of a session file. Promises:
//
//   - The history of a state holds nothing of its own answer, and ends with a message of the user.
//   - Messages of the user and of the assistant alternate. A message is never empty.
//   - Each call has one result, in the message after it. A call without a result has one that says so.
//   - After a compaction the history starts over, with the summary where the record has it.
//   - Steps that the user took back are not history of what came instead of them.
//   - The id of a state is that of a line of the session file, and the same when the file has grown.
//   - Thinking, warm-ups of a cache and what a client said in the user's name are not history.
//
// Pairs (see [WritePairs]) are two answers to one state: the one that was given, and the one that took its place, or
// that most teachers gave.
//
// States repeat the record: redacted, if the record is. States are derived from records, so they are not read back.
package tracestate

// Name and PairsName are the names of the formats on the command line.
const (
	Name      = "tracestate"
	PairsName = "dpo"
)
