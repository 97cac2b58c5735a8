package payload

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/git-trace/git-trace/events"
)

// Tools says what an agent's tools can do to a work tree. Tools of MCP servers or extensions, and unlisted tools, may
// write anywhere.
//
// Tools that start subagents count as readers on purpose: the subagent's own calls report its writes, and a window for
// the whole subagent would overlap the window of each call.
type Tools []struct {
	Class events.ToolClass
	Names []string
}

// Class returns the class of a tool.
func (t Tools) Class(name string) events.ToolClass {
	for _, row := range t {
		if slices.Contains(row.Names, name) {
			return row.Class
		}
	}
	return events.ToolUnknown
}

// Call is a tool call in a payload.
type Call struct {
	ID, Name string
	Class    events.ToolClass
	Input    *json.RawMessage      // identifies a call without an id; may be nil
	Path     string                // the file in the tool's input
	Paths    []string              // the files of an edit, if they are in another member
	Edits    []events.DeclaredEdit // edits of an edit tool; an edit without a path is in the tool's file
	Command  string
	Dir      string // the directory of the command; "" for the boundary's
}

// Describe adds the call to its boundary.
func (c Call) Describe(b *events.Boundary, home string) *events.ToolUse {
	tool := &events.ToolUse{Name: Name(c.Name), Class: c.Class}
	b.Tool = tool
	if CallID(c.ID) {
		tool.CallID = c.ID
	} else {
		if c.Input != nil {
			tool.Fingerprint = Fingerprint(c.Name, *c.Input)
		}
		b.Limits = append(b.Limits, events.LimitIDMissing)
	}
	path := Path(c.Path, b.Cwd, home)
	switch {
	case c.Class == events.ToolEdits && len(c.Paths) == 0 && path == "": // it is unknown where the tool writes
		tool.Class = events.ToolUnknown
	case c.Class == events.ToolEdits:
		if tool.Paths = c.Paths; len(c.Paths) == 0 {
			tool.Paths = []string{path}
		}
		tool.Edits = c.Edits
		for i := range tool.Edits {
			tool.Edits[i].Path = cmp.Or(tool.Edits[i].Path, path)
		}
	case c.Class == events.ToolRuns:
		Command(tool, c.Command, cmp.Or(Path(c.Dir, b.Cwd, home), b.Cwd), home)
	case c.Class == events.ToolUnknown && path != "":
		tool.Hints = []string{path}
	}
	return tool
}

// NeedModel marks the model of a call as unknown, if it is missing.
func NeedModel(b *events.Boundary) {
	if b.Model == "" {
		b.Limits = append(b.Limits, events.LimitModelUnknown)
	}
}

// Fingerprint identifies a call without an id by its tool and input: equal inputs have equal fingerprints, whatever the
// order of their keys. It has 16 letters and digits.
func Fingerprint(tool string, input json.RawMessage) string {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.UseNumber()
	if decoder.Decode(&value) == nil {
		if canonical, err := json.Marshal(value); err == nil {
			input = canonical
		}
	}
	hash := sha256.New()
	hash.Write([]byte(tool + "\x00"))
	hash.Write(input)
	return hex.EncodeToString(hash.Sum(nil)[:8])
}
