// Package records defines the normalised form of a conversation: a [Record] of the open TraceRecord schema, version
// 0.3.0. Each conversation is one JSON object.
//
// The parsers in agents/… make records from session files. Package redact removes secrets and names. Package store
// keeps records in refs/traces/records. Packages with the name of a format convert records to that format.
//
// A conversation can be larger than memory. So a parser passes its steps one by one to a [Sink]. The rest of the record
// is known only at the end. It is then passed as a Record without steps. [Collector] joins the two to a whole Record in
// memory, [Spool] to a file.
//
// These rules hold for every record:
//
//   - Encoding writes every member of the schema in the schema's order, missing ones as null, and members with free
//     names sorted. So [Decode] and Encode reproduce the output of [Encode] byte for byte.
//   - content_hash is the hash that opentraces computes: the SHA-256 of the record without content_hash and trace_id,
//     in the form of Python's json.dumps with sorted keys ([ContentHash]).
//   - Steps are numbered from 1 without gaps. A tool call id occurs once. An observation belongs to a call of its own
//     step. parent_step is less than step_index ([Record.Check]).
//   - The tokens of a model's answer are counted once, in the step of the answer.
//
// Not promised: two versions of git-trace may derive different records from the same session file.
package records
