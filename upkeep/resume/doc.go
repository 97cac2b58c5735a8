// Package resume continues from a step in the middle of a conversation: with the files of that moment in a new linked
// work tree, and with a copy of the beginning of the session file.
//
// [Find] finds the step and the snapshot. [Add] makes the work tree, in which package restore then brings the files
// back. [Point.Copy] has the agent write the copy.
//
// It promises:
//
//   - The session, its work tree and every branch stay as they are.
//   - Only a snapshot that was taken here is used, as by restore.
//   - The session file must still have that step as the record of the conversation has it. Otherwise nothing is copied.
//
// Some steps have no snapshot of their own, because no hook looked at the files then. The last snapshot before is used,
// and [Point.Seen] names its step.
package resume
