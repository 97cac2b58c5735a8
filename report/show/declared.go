package show

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/cells/patch"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/view"
)

// asDeclared is the text after figures that come from the call itself, if no hook saw its change.
const asDeclared = "by the call"

// `declared` draws a change as its call declares it, around one of the new lines.
func (d *showDrawer) declared(e *view.Declared, line, rows int) {
	changes := make([]patch.Change, len(e.Hunks))
	for i, h := range e.Hunks {
		c := &changes[i]
		c.OldStart, c.OldCount, c.NewStart, c.NewCount = h.Numbers()
	}
	file, err := patch.Of(e.Path, e.Path, []byte(e.Old), []byte(e.New), changes)
	if err != nil {
		return // the patch would be made from texts and their difference
	}
	text, err := file.Draw(patch.Style{Terminal: d.terminal, Color: d.pen.On, Crop: &patch.Crop{
		Line: line, Rows: rows, Title: d.safe(e.Path), Ranges: asDeclared, LeftOut: d.leftOut,
	}})
	if err == nil {
		d.text.WriteString(text)
	}
}

// allDeclared draws all changes that a call declares.
func (d *showDrawer) allDeclared(list []*view.Declared) {
	for _, e := range list {
		d.line("")
		d.declared(e, e.Hunks[0].NewStart+1, math.MaxInt32)
	}
}

// editTexts are the members of tool inputs that a diff shows.
var editTexts = []string{
	"content", "file_text", "new_source", "old_string", "new_string", "old_str", "new_str", "oldText", "newText",
	"oldString", "newString", "edits", "diff", "patch", "replace_all",
}

// besideTexts returns the members of an input that a diff does not show. For some tools the member "input" holds a
// patch.
func besideTexts(input json.RawMessage) []records.Member {
	return slices.DeleteFunc(records.Members(input), func(m records.Member) bool {
		return slices.Contains(editTexts, m.Name) || m.Name == "input" && strings.Contains(m.Text, "*** Begin Patch")
	})
}

// declares returns the changes that a call declares; none if the call failed. It compares texts, which is slow, so it
// keeps the result.
func (d *showDrawer) declares(call *records.ToolCall, result *records.Observation) []*view.Declared {
	if result != nil && records.Value(result.Error) != "" {
		return nil
	}
	list, known := d.claims[call]
	if !known {
		if d.claims == nil {
			d.claims = map[*records.ToolCall][]*view.Declared{}
		}
		list = view.Declares(call.Input, d.inside)
		d.claims[call] = list
	}
	return list
}

// `changed` returns the number of lines that a call wrote: as hooks saw it, or as the call declares it.
func (d *showDrawer) changed(call *records.ToolCall, seen *view.Call, result *records.Observation) string {
	added, removed, paths := 0, 0, []string{}
	count := func(path string, came, gone int) {
		added, removed = added+came, removed+gone
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	switch {
	case seen != nil && seen.Seen:
		for _, f := range seen.Files {
			count(f.Path, f.Added, f.Removed)
		}
	default:
		for _, e := range d.declares(call, result) {
			count(e.Path, e.Added, e.Removed)
		}
	}
	if added+removed == 0 {
		return ""
	}
	text := counts(added, removed)
	argument, path := view.MainArgument(call.Input)
	argument = d.inside(argument)
	if len(paths) > 1 || !path || argument != paths[0] && !strings.HasSuffix(argument, "/"+paths[0]) {
		text += " in " + fewPaths(paths)
	}
	return text
}

// fewPaths names a single file, or gives the number of files.
func fewPaths(paths []string) string {
	if len(paths) == 1 {
		return cells.Safe(paths[0])
	}
	return numbers.Count(len(paths), "file")
}
