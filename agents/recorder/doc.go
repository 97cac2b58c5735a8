// Package recorder turns the session file of an agent into a redacted record in the store.
//
// The process that hooks start at the end of a turn and at a commit does it, and so does `git trace record`. Of a
// session file that has grown only what is new is read and redacted; the steps before are taken from the stored
// record.
//
// The order is: read and redact, store the record, append record_stored, drop the texts of the prompts that the record
// holds, keep the place to go on from. A process that is killed in between repeats the step; nothing that is not stored
// is dropped. When the redactor fails nothing is stored, and the conversation stays on the list.
package recorder
