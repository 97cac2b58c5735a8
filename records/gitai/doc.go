// Package gitai reads and writes authorship notes of version 3.0.0 (authorship/3.0.0), as git-ai keeps them under
// refs/notes/ai. A note names the session or person of each line of a commit.
//
// A note has two parts with a line "---" between them: for each path the keys of its authors with their lines, and JSON
// that describes the keys. [Parse] keeps both unchanged, so a read note is written byte for byte again. [FromCommit]
// makes a note from the owners of a commit, [Note.Commit] the reverse.
//
// The format has no words for lines that an agent and a person wrote together, and none for evidence: such lines become
// the agent's, and the evidence is lost. The owner of a line without a key is unknown.
package gitai

// Name is the name of the format on the command line.
const Name = "git-ai"

// Version is the version of the notes that are read and written.
const Version = "authorship/3.0.0"

// NotesRef is git-ai's ref for the notes.
const NotesRef = "refs/notes/ai"

// Writer is git-trace's name, which it writes instead of the version of git-ai.
const Writer = "git-trace"
