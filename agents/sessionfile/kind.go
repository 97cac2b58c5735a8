package sessionfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/transcript"
	"github.com/git-trace/git-trace/records/assemble"
)

// Kind holds the peculiarities of an agent's session files.
type Kind struct {
	Agent string // the agent's name, as in capability.Agent
	// Open opens a session file, or the container of the session; nil for Lines.
	Open func(path, session string) (File, error)
	// Session is the agent's own id of the session that a file holds.
	Session func(path string, file File) string
	// Format begins to understand the objects of a file.
	Format func(c *assemble.Conversation, of Place) Format
	// Subagent finds the session file of a subagent that a call started, by the id in the result of the call; ""
	// without one. It is nil for an agent whose subagents have no separate files.
	Subagent func(of Place, call *assemble.Call, id string) Place
}

// Place is a session file that is being read.
type Place struct {
	Path    string
	Session string // the agent's own id
	Role    string // of a subagent
	Main    string // for a subagent's file the path of the main one, otherwise ""
}

// Format understands the objects of one session file, in their order.
type Format interface {
	// Object takes an object. Its error is the sink's; missing members are not an error.
	Object(object jsonlines.Object) error
	// State returns the facts of earlier objects that the next object needs: a pointer, to be written as JSON and read
	// back into.
	State() any
	// End resolves what waits for an object that will not come.
	End() error
}

// Plain is the part of a Format that keeps nothing from one object to the next, and waits for none.
type Plain struct{}

// State returns nothing.
func (Plain) State() any { return nil }

// End does nothing.
func (Plain) End() error { return nil }

// File is an open session file.
type File interface {
	// Start identifies the file by its unchanging part; "" for one that does not grow but is rewritten.
	Start() (string, error)
	// Size returns the end of the file, in the unit of the objects' offsets.
	Size() int64
	// From returns the objects from an offset on; lines counts the lines before it.
	From(offset, lines int64) Source
	Close() error
}

// Source gives the objects of a session file in their order, io.EOF after the last, as jsonlines.Reader does.
type Source interface {
	Next() (jsonlines.Object, error)
	Faults() jsonlines.Faults
	End() int64
	Lines() int64
}

// Lines opens a file of JSON lines.
func Lines(path, _ string) (File, error) {
	tail, err := transcript.Open(path)
	if err != nil {
		return nil, err
	}
	return lines{tail}, nil
}

type lines struct{ *transcript.Tail }

// startBytes is the length of the file's beginning that must be the same for a cursor to fit.
const startBytes = 4096

// Start returns a hash of the file's first line, or of its beginning.
func (f lines) Start() (string, error) {
	head := make([]byte, startBytes)
	n, err := io.ReadFull(f.Tail.From(0), head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	return Hash(line), nil
}

func (f lines) From(offset, before int64) Source {
	return jsonlines.NewReader(f.Tail.From(offset), offset, before)
}

// Hash returns a short name for a text: 32 hex digits of its SHA-256.
func Hash(text string) string { return FullHash(text)[:32] }

// FullHash returns the SHA-256 of a text in hex.
func FullHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// First yields the first objects of a file until yield has enough.
func First(file File, most int, yield func(object jsonlines.Object) bool) {
	in := file.From(0, 0)
	for range most {
		object, err := in.Next()
		if err != nil || !yield(object) {
			return
		}
	}
}
