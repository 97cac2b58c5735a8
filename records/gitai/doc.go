// Package gitai reads and writes authorship notes of version 3.0.0 (authorship/3.0.0), which git-ai keeps under
// refs/notes/ai. A note names the session or person that wrote each line of a commit.
//
// A note has two parts, separated by a line "---": for each path the keys of its authors with their lines, and JSON
// that describes the keys. [Parse] keeps both parts unchanged, so a note that was read is written again byte for byte.
// [FromCommit] makes a note from the owners of a commit, [Note.Commit] does the reverse.
//
// The format cannot express lines that an agent and a person wrote together, or evidence: such lines become the
// agent's, and the evidence is lost. A line without a key has an unknown owner.
package gitai

// Name is the name of the format on the command line.
const Name = "git-ai"

// Version is the version of notes that this package reads and writes.
const Version = "authorship/3.0.0"

// NotesRef is git-ai's ref for notes.
const NotesRef = "refs/notes/ai"

// Writer is written in place of the version of git-ai.
const Writer = "git-trace"
