package sessionfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"strings"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/transcript"
	"github.com/git-trace/git-trace/records/assemble"
)

// Kind describes what is special about an agent's session files.
type Kind struct {
	Agent string // the agent's name, as in capability.Agent
	// Open opens a session file, or the container of the session; nil means Lines.
	Open Opener
	// Session returns the agent's own id of the session in a file.
	Session func(path string, file File) string
	// Format returns the reader of the file's objects.
	Format func(c *assemble.Conversation, of Place) Format
	// Subagent finds the session file of a subagent that a call started, by the id in the result of the call; the path is
	// "" if there is none. It is nil if the agent's subagents have no separate files.
	Subagent func(of Place, call *assemble.Call, id string) Place
}

// Opener opens a session file. For a container of sessions, session is the id of one.
type Opener func(path, session string) (File, error)

// Place is a session file that is being read.
type Place struct {
	Path    string
	Session string // the agent's own id
	Role    string // role of a subagent
	Main    string // path of the main file, for a subagent's file; otherwise ""
}

// Format handles the objects of a session file, in order.
type Format interface {
	// Object handles an object. Its errors are errors of the sink; missing members are not errors.
	Object(object jsonlines.Object) error
	// State returns a pointer to the data of earlier objects that later objects need. It is written as JSON and read back.
	State() any
	// End settles data that waits for an object which will not come.
	End() error
}

// Plain is an embeddable part for a Format that keeps no state between objects.
type Plain struct{}

// State returns nil.
func (Plain) State() any { return nil }

// End does nothing.
func (Plain) End() error { return nil }

// File is an open session file.
type File interface {
	// Start identifies the file by its unchanging beginning; "" for a file that is rewritten.
	Start() (string, error)
	// Size returns the end of the file, in the unit of the objects' offsets.
	Size() int64
	// `From` returns the objects from an offset on. The parameter `lines` is the number of lines before the offset.
	From(offset, lines int64) Source
	Close() error
}

// Source returns the objects of a session file in order, and io.EOF after the last, like jsonlines.Reader.
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

// startBytes is the length of the beginning of a file that must be unchanged for a cursor to be valid.
const startBytes = 4096

// Start identifies the file by its first line.
func (f lines) Start() (string, error) { return StartOf(f.Tail) }

// StartOf returns a hash of the first line of a file; if the line is longer than startBytes, of its beginning.
func StartOf(file *transcript.Tail) (string, error) {
	head := make([]byte, startBytes)
	n, err := io.ReadFull(file.From(0), head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	return Hash(line), nil
}

func (f lines) From(offset, before int64) Source {
	return jsonlines.NewReader(f.Tail.From(offset), offset, before)
}

// Hash returns a short hash of a text: 32 hex digits of its SHA-256.
func Hash(text string) string { return FullHash(text)[:32] }

// FullHash returns the SHA-256 of a text in hex.
func FullHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// All yields the objects of a file.
func All(file File, yield func(object jsonlines.Object)) {
	First(file, math.MaxInt, func(object jsonlines.Object) bool {
		yield(object)
		return true
	})
}

// First yields at most `most` objects from the start of a file, until the function `yield` returns false.
func First(file File, most int, yield func(object jsonlines.Object) bool) {
	in := file.From(0, 0)
	for range most {
		object, err := in.Next()
		if err != nil || !yield(object) {
			return
		}
	}
}
