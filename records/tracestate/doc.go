// Package tracestate makes states of a conversation: the messages that the model saw before an answer, and the answer.
// Programs that compare models replay states; programs that train models learn from them.
//
// A state is a TraceState of the composer replication framework with the members of its TraceExample. There is one
// state for each answer, not for each line of a session file. Promises:
//
//   - The history of a state contains nothing of the state's own answer, and ends with a message of the user.
//   - Messages of the user and the assistant alternate. A message is never empty.
//   - Each call has one result, in the next message. A call without a result has a text instead that says so.
//   - After a compaction the history starts again, with the summary if the record has it.
//   - Steps that the user undid are not in the history of the steps that replaced them.
//   - The id of a state is the id of a line in the session file. It stays the same when the file grows.
//   - Thinking, cache warm-ups and the client's own messages in the user's name are not in the history.
//
// Pairs (see [WritePairs]) are two answers to one state: the given answer, and the answer that replaced it or that most
// teachers gave.
//
// States contain text of the record: they are redacted only if the record is. States are derived from records, so there
// is no reader for them.
package tracestate

// Name and PairsName are the names of the formats on the command line.
const (
	Name      = "tracestate"
	PairsName = "dpo"
)
