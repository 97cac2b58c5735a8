// Package ccpa reads and writes the traces of Claude Code Parity (files *.ccpa-trace.jsonl): one record of one
// observable action a line, five kinds in version 1 of its schema, and hook_event and skill_invocation beside them in
// version 2.
//
// A trace becomes a TraceRecord and back. A TraceRecord has no place for the numbers of turns, nor for the records of
// hooks, skills and the ends of the session. They are kept under metadata.ccpa. A line that would be written otherwise
// than it was read is kept whole: a file that was read is written again byte for byte, blank lines apart. This holds as
// long as nobody changed the record in between, as redaction does.
//
// Two dialects are read: the one of the format's code and contract, and the one of its description, which has neither v
// nor turn and names some members otherwise. What is made from a conversation of another origin is written in the
// first, members in the order of its own program: kind, v, and so on.
//
// The format has no place for subagents: their steps are left out when a trace is made from a conversation.
package ccpa

// Name is the name of the format on the command line.
const Name = "ccpa"
