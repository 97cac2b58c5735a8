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

// Tools says what the tools of an agent can do to a work tree. Tools of MCP servers, of extensions and unlisted tools
// may write anywhere.
//
// The tools that start sub-agents count as readers on purpose: the sub-agent's own calls report its writing, and a
// window over all of it would overlap each of theirs.
type Tools []struct {
	Class events.ToolClass
	Names []string
}

// Class returns the class of a tool, by its abilities.
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
	Input    *json.RawMessage      // replaces the id of a call without one; may be nil
	Path     string                // the file that the tool is given
	Paths    []string              // the files of an edit, if they are in another member
	Edits    []events.DeclaredEdit // of an edit; those without a path belong to the tool's file
	Command  string
	Dir      string // the directory of the command; empty for the boundary's
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
	case c.Class == events.ToolEdits && len(c.Paths) == 0 && path == "": // nothing says where it writes
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

// NeedModel notes that the model of a call is unknown, if it is.
func NeedModel(b *events.Boundary) {
	if b.Model == "" {
		b.Limits = append(b.Limits, events.LimitModelUnknown)
	}
}

// Fingerprint identifies a call without an id by its tool and input: equal inputs have equal fingerprints, whatever
// the order of their keys. It is 16 letters and digits.
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
