// Package checkpoint signs the end of an event log, and judges such signatures.
//
// A checkpoint is a commit on refs/traces/checkpoints: the empty tree, the previous checkpoint as its parent, and a
// message that names a writer, the number of an event and its id. Git signs it as it signs every commit, with the
// user's own key (gpg.format, user.signingKey), so that `git log --show-signature refs/traces/checkpoints` checks it
// without git-trace. docs/format.md specifies the form.
//
// Promises:
//
//  1. A checkpoint anchors a log only if git calls its signature good and its key trusted here (see Verdict).
//  2. A commit that is not a checkpoint, or has another signature, is named and counts for nothing.
//  3. The message is read strictly, so the signed statement has one meaning.
//
// Not promised: people who can write the refs can delete checkpoints. Then the log is anchored only up to an old one,
// or not at all. A copy fetched from elsewhere shows this.
package checkpoint
