// Package assemble makes a record from the lines of a session file, whatever the agent.
//
// A parser translates the lines of its agent into a few moves: a prompt, a piece of an answer, the result of a call, a
// remark. [Conversation] merges the pieces of one answer, joins results with calls, numbers the steps, and hands them
// to a [records.Sink] in order. At the end it gives the rest of the record: sums, cost, outcome, languages, and the
// lines that the conversation wrote.
//
// It promises for all moves:
//
//   - Every call id occurs once, in one step, with one observation; a call without a result says so.
//   - Tokens of an answer are counted once, with the numbers of its last piece.
//   - Memory is bounded: what waits for its results is limited in bytes and number. A result that comes after its step
//     has left is handed to the sink by itself (Late).
//   - What is dropped is counted, with its reason.
//
// Reading can continue where it ended ([Conversation.Cursor]): from the last prompt, because a step may change until
// the next prompt comes. The cursor holds the counts up to there. So a file that grows gives the same record as a file
// read at once.
package assemble
