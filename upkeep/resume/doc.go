// Package resume continues a conversation from a step in the middle. A new linked work tree gets the files of that
// moment, and the agent gets a copy of the session file up to the step.
//
// [Find] finds the step and the snapshot. [Point.Add] makes the work tree, in which package restore then restores the
// files. [Source.Copy] lets the agent write the copy.
//
// It promises:
//
//   - The session, its work tree and all branches do not change.
//   - As in restore, only a snapshot that was taken here is used.
//   - The step in the session file must equal the step in the conversation's record. Otherwise nothing is copied.
//
// Some steps have no snapshot of their own, because no hook ran then. The last earlier snapshot is used, and
// [Point.Seen] is its step.
package resume
