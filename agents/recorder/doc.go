// Package recorder converts the session file of an agent to a redacted record in the store.
//
// It is used by the process that hooks start at the end of a turn and at a commit, and by `git trace record`. If a
// session file has grown, only the new part is read and redacted; the earlier steps come from the stored record.
//
// The order of steps is: read and redact, store the record, append record_stored, delete the texts of prompts that the
// record contains, save the place at which to continue. If the process is killed, the next run repeats the step; only
// data that is already stored is deleted. If redaction fails, nothing is stored, and the conversation stays on the
// list.
package recorder
