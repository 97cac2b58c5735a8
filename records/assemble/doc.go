// Package assemble makes a record from the lines of any agent's session file.
//
// A parser translates the lines of its agent into a few kinds of calls: a prompt, a piece of an answer, the result of a
// tool call, a remark. [Conversation] merges the pieces of each answer, joins results with tool calls, numbers the
// steps, and passes them to a [records.Sink] in order. At the end it returns the rest of the record: totals, cost,
// outcome, languages, and the lines that the conversation wrote.
//
// It promises:
//
//   - Every tool call id occurs once, in one step, with one observation; a call without a result is marked as such.
//   - The tokens of an answer are counted once, with the numbers of its last piece.
//   - Memory is bounded: the steps that wait for results are limited in bytes and number. A result that comes after its
//     step was passed on is passed to the sink separately (Late).
//   - Everything that is dropped is counted, by reason.
//
// Reading can continue where it ended ([Conversation.Cursor]): at the last prompt, because a step may change until the
// next prompt comes. The cursor contains the totals of the steps before it. So a file that grows gives the same record
// as a file that is read at once.
package assemble
