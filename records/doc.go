// Package records defines the normalised conversation: a [Record] of the open TraceRecord schema, version 0.3.0, one
// JSON object a conversation.
//
// Parsers in agents/… make records from session files. Package redact removes secrets and names. Package
// store keeps them in refs/traces/records. The packages named after formats turn them into what other programs read.
//
// A conversation can be larger than memory. So a parser hands its steps one by one to a [Sink]. The rest of the record
// is known only at the end, and goes there as a Record without steps. [Collector] makes a whole Record of the two in
// memory, [Spool] a file.
//
// What holds for every record:
//
//   - Encoding writes every member of the schema, in the schema's order, absent ones as null, members of free names
//     sorted: [Decode] and Encode reproduce the output of [Encode] byte for byte.
//   - content_hash is what opentraces computes: the SHA-256 of the record without content_hash and trace_id in the form
//     of Python's json.dumps with sorted keys ([ContentHash]).
//   - Steps are numbered from 1 without a gap; a tool call id occurs once; an observation belongs to a call of its own
//     step; parent_step is smaller than step_index ([Record.Check]).
//   - Tokens of one answer of the model are counted once, in the step that holds the answer.
//
// Not promised: that two versions of git-trace derive the same record from the same session file.
package records
