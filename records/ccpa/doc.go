// Package ccpa reads and writes the traces of Claude Code Parity (files *.ccpa-trace.jsonl): one record of one
// observable action a line, five kinds in version 1 of its schema, with hook_event and skill_invocation in version 2.
//
// A trace becomes a TraceRecord and back. A TraceRecord has no place for numbers of turns, and for the records of
// hooks, skills and the ends of the session. They are kept under metadata.ccpa. A line that would change is kept whole,
// so a read file is written byte for byte again, blank lines apart. This is true unless something, such as redaction,
// changes the record in between.
//
// It reads two dialects: the one of the format's code and contract, and the one of its description, which has neither v
// nor turn and other names for some members. A trace from another conversation is written in the first, with members in
// the order of its own program: kind, v, and so on.
//
// The format has no place for subagents: their steps are left out when a trace is made from a conversation.
package ccpa

// Name is the name of the format on the command line.
const Name = "ccpa"
