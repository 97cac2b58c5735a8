// Package recorder turns the session file of an agent into a redacted record in the store.
//
// The process that hooks start at the end of a turn and at a commit does it, and so does `git trace record`. If a
// session file has grown, only the new part is read and redacted; the earlier steps come from the stored record.
//
// The order is: read and redact, store the record, append record_stored, drop the texts of the prompts that the record
// holds, keep the place at which to continue. A process that is killed in between repeats the step; only stored data is
// dropped. When the redactor fails nothing is stored, and the conversation stays on the list.
package recorder
