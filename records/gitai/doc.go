// Package gitai reads and writes authorship notes of version 3.0.0 (authorship/3.0.0), as git-ai keeps them under
// refs/notes/ai: which lines of a commit came from which session or person.
//
// A note has two parts with a line "---" between them: for each path the keys of its authors with their lines, and JSON
// that says who the keys are. [Parse] keeps both as they are, so that a note that was read is written again byte for
// byte. [FromCommit] makes a note of what is known of a commit, [Note.Commit] the other way round.
//
// The format has no words for lines that an agent and a person wrote together, and none for evidence: the first are
// given as the agent's, the second is lost. The owner of a line without a key is not known.
package gitai

// Name is the name of the format on the command line.
const Name = "git-ai"

// Version is the version of the notes that are read and written.
const Version = "authorship/3.0.0"

// NotesRef is git-ai's ref for the notes.
const NotesRef = "refs/notes/ai"

// Writer stands for git-trace where a note names the version of git-ai that wrote it.
const Writer = "git-trace"
