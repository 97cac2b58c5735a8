package web

import (
	"cmp"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
)

// functionRow is a row in a file's list of functions.
type functionRow struct{ blame.FunctionJSON }

// Label returns the name of the function. Lines before the first function have none.
func (f functionRow) Label() string { return cmp.Or(records.Value(f.Name), "before the first") }

// Most returns the writer with the most lines of the function, or nothing if none is known.
func (f functionRow) Most() []functionWriter {
	if len(f.Writers) == 0 {
		return nil
	}
	return []functionWriter{{f.Writers[0]}}
}

// functionWriter is a writer of a function.
type functionWriter struct{ blame.WriterJSON }

// `Who` names a writer that is not a conversation.
func (w functionWriter) Who() string {
	switch {
	case w.Contributor == events.OwnerHuman && w.Author != nil:
		return *w.Author
	case w.Contributor == events.OwnerAI:
		return "an agent"
	}
	return ownerWord(string(w.Contributor), w.Older)
}

// Owned sums up the lines by kind of owner.
func (f functionRow) Owned() numbers.Owned {
	return numbers.Owned{AI: f.AI, Human: f.Human, Unknown: f.Unknown, Older: f.Older}
}
