// Package ccpa reads and writes traces of Claude Code Parity (*.ccpa-trace.jsonl). Each line is a record of one
// observable action. Version 1 of the schema has five kinds of records; version 2 adds hook_event and skill_invocation.
//
// It converts a trace to a TraceRecord and back. A TraceRecord has no members for the numbers of turns, and for the
// records of hooks, skills and session ends. These are kept in metadata.ccpa. A line that a conversion would change is
// kept as a whole. So a trace that was read is written again byte for byte, except for blank lines. This holds only if
// the record was not changed in between, for example by redaction.
//
// It reads two dialects: one is used by the format's code and contract, the other by its description. The second has
// neither v nor turn, and other names for some members. A trace of another conversation is written in the first
// dialect, with members in the order of the format's own program: kind, v, and so on.
//
// The format cannot express subagents: their steps are left out when a trace is made from a conversation.
package ccpa

// Name is the name of the format on the command line.
const Name = "ccpa"
