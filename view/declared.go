package view

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/searchreplace"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/declared"
	"github.com/git-trace/git-trace/records/rawjson"
	"github.com/git-trace/git-trace/trails/linediff"
)

// Declared is the change of a file that a call declares in its record. It replaces the hunks of a call that no hook
// saw. The places of the lines in the file are not known.
type Declared struct {
	Path    string `json:"path"`
	Whole   bool   `json:"whole,omitempty"` // the call replaces the whole file; the old content is unknown
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Old     string `json:"old"`
	New     string `json:"new"`

	Hunks []linediff.Hunk `json:"-"` // the differences between both
}

// The limits of one call.
const (
	mostDeclared      = 200
	mostDeclaredBytes = 1 << 20
)

// Declares returns the changes that the input of a call declares. The function `inside` turns a path into git's name
// for it.
func Declares(input json.RawMessage, inside func(path string) string) []*Declared {
	if len(input) > mostDeclaredBytes {
		return nil
	}
	call := declared.Of(input)
	edits := call.Edits
	if diff := rawjson.MemberText(input, "diff"); call.Path != "" && diff != "" {
		for _, b := range searchreplace.Blocks(strings.Split(diff, "\n"), mostDeclared) {
			edits = append(edits, declared.Edit{Path: call.Path, Old: b.Old, New: b.New})
		}
	}
	var out []*Declared
	for _, e := range edits[:min(len(edits), mostDeclared)] {
		d := &Declared{Path: inside(e.Path), Whole: e.Whole, Old: lineEnded(e.Old), New: lineEnded(e.New)}
		before, after := linediff.Split([]byte(d.Old)), linediff.Split([]byte(d.New))
		d.Hunks = linediff.Diff(before, after, linediff.Options{}).Hunks
		for _, h := range d.Hunks {
			d.Added, d.Removed = d.Added+h.NewCount, d.Removed+h.OldCount
		}
		if len(d.Hunks) > 0 {
			out = append(out, d)
		}
	}
	return out
}

// lineEnded adds a line feed to the last line of a text: a piece of a file may end in the middle of a line.
func lineEnded(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// Going returns the removed lines, each without its end.
func (d *Declared) Going() []string { return d.pieces(d.Old, linediff.Hunk.Old) }

// Coming returns the added lines.
func (d *Declared) Coming() []string { return d.pieces(d.New, linediff.Hunk.New) }

func (d *Declared) pieces(text string, side func(linediff.Hunk) linediff.Range) (out []string) {
	lines := linediff.Split([]byte(text))
	for _, h := range d.Hunks {
		at := side(h)
		for _, line := range lines[at.Start:at.End] {
			out = append(out, strings.TrimSuffix(string(line), "\n"))
		}
	}
	return out
}

// LineOf returns the number of a line among the added ones, counted in New from 1; 0 if it is not among them.
func (d *Declared) LineOf(line []byte) int {
	lines := linediff.Split([]byte(d.New))
	for _, h := range d.Hunks {
		for at := h.NewStart; at < h.NewStart+h.NewCount; at++ {
			if bytes.Equal(bytes.TrimRight(lines[at], "\r\n"), bytes.TrimRight(line, "\r\n")) {
				return at + 1
			}
		}
	}
	return 0
}

// declares adds the declared changes of a call if hooks did not see the call, or if the text of its changes is not
// kept, unless the call failed.
func (r *Reader) declares(c *WholeCall, step *records.Step) {
	if slices.ContainsFunc(c.Hunks, (*Hunk).HasText) || c.Seen && len(c.Hunks) == 0 || step == nil || len(c.Input) == 0 {
		return
	}
	if result := step.Result(c.ToolCall); result != nil && records.Value(result.Error) != "" {
		return
	}
	c.Declared = Declares(c.Input, r.Inside)
}
