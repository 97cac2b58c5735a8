package assemble_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
)

// written is a file in which every line knows the step that wrote it, 0 for none.
type written struct {
	lines  []string
	author []int
}

func (w *written) replace(h assemble.Hunk, step int) {
	removed := min(h.Removed, len(w.lines)-(h.At-1))
	authors := make([]int, h.Added)
	for i := range authors {
		authors[i] = step
	}
	w.lines = slices.Replace(w.lines, h.At-1, h.At-1+removed, h.Lines...)
	w.author = slices.Replace(w.author, h.At-1, h.At-1+removed, authors...)
}

// The ranges of a record are what following each line of the files one by one gives.
func TestAttributedLinesAreThoseThatTheConversationWrote(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 7))
			c, sink := begin(assemble.Options{})
			file := &written{}
			for range 30 {
				file.lines, file.author = append(file.lines, "old"), append(file.author, 0)
			}
			for step := 1; step <= 25; step++ {
				hunks := someHunks(random, len(file.lines), step)
				id := fmt.Sprint("call", step)
				must(t,
					c.Answer(assemble.Answer{Model: "acme/m", Calls: call(id)}),
					c.Result(at, id, assemble.Result{Edits: []assemble.Edit{{Path: "a.go", Text: "x", Hunks: hunks}}}),
				)
				for _, h := range slices.Backward(hunks) {
					file.replace(h, step)
				}
			}
			compareLines(t, finish(t, c, sink), file)
		})
	}
}

// someHunks are up to three hunks in order that do not touch.
func someHunks(random *rand.Rand, lines, step int) []assemble.Hunk {
	var hunks []assemble.Hunk
	at := 1
	for i := range 1 + random.IntN(3) {
		at += random.IntN(8)
		if at > lines {
			break
		}
		h := assemble.Hunk{At: at, Removed: min(random.IntN(4), lines-at+1), Added: random.IntN(5)}
		for j := range h.Added {
			h.Lines = append(h.Lines, fmt.Sprintf("step %d hunk %d line %d", step, i, j))
		}
		hunks = append(hunks, h)
		at += h.Removed + 1
	}
	return hunks
}

func compareLines(t *testing.T, r *records.Record, file *written) {
	t.Helper()
	got := make([]int, len(file.lines))
	for _, conversation := range r.Attribution.Files[0].Conversations {
		var step int
		if _, err := fmt.Sscanf((*conversation.URL)[strings.LastIndex(*conversation.URL, "_")+1:], "%d", &step); err != nil {
			t.Fatal(err)
		}
		for _, lines := range conversation.Ranges {
			if lines.EndLine > len(file.lines) {
				t.Fatalf("lines %d to %d of %d", lines.StartLine, lines.EndLine, len(file.lines))
			}
			for line := lines.StartLine; line <= lines.EndLine; line++ {
				got[line-1] = step
			}
			if lines.ContentHash != nil && *lines.ContentHash != records.JoinedHash(file.lines[lines.StartLine-1:lines.EndLine]) {
				t.Errorf("lines %d to %d: the hash is not that of the lines", lines.StartLine, lines.EndLine)
			}
			if (lines.ContentHash == nil) != (*lines.Confidence == records.Low) {
				t.Errorf("lines %d to %d: %s and hash %v", lines.StartLine, lines.EndLine, *lines.Confidence, lines.ContentHash)
			}
		}
	}
	if !slices.Equal(got, file.author) {
		t.Errorf("got %v, want %v", got, file.author)
	}
}

func TestFilesOutsideOfTheRepositoryAreNotAttributed(t *testing.T) {
	t.Parallel()
	c, sink := begin(assemble.Options{})
	c.Change(func(h *assemble.Head) { h.AddCwd("/home/dev/shop"); h.AddCwd("/home/dev/shop/sub") })
	edit := func(path string) assemble.Edit {
		return assemble.Edit{Path: path, Text: "x", Hunks: []assemble.Hunk{{At: 1, Added: 1, Lines: []string{"x"}}}}
	}
	must(t,
		c.Answer(assemble.Answer{Calls: call("a")}),
		c.Result(at, "a", assemble.Result{Edits: []assemble.Edit{
			edit("/home/dev/shop/sub/a.go"), edit("/home/dev/.agent/plan.md"), edit("rel/b.go"), edit(`C:\x\c.go`),
		}}),
	)
	r := finish(t, c, sink)
	var paths []string
	for _, file := range r.Attribution.Files {
		paths = append(paths, file.Path)
	}
	if !slices.Equal(paths, []string{"rel/b.go", "sub/a.go"}) || len(r.Steps[0].Snippets) != 4 {
		t.Errorf("got %q, %d snippets", paths, len(r.Steps[0].Snippets))
	}
}

func TestAFailedEditWroteNothing(t *testing.T) {
	t.Parallel()
	c, sink := begin(assemble.Options{})
	failed := assemble.Result{Error: records.ErrorTool, Edits: []assemble.Edit{{Path: "a.go", Text: "x"}}}
	must(t, c.Answer(assemble.Answer{Calls: call("a")}), c.Result(at, "a", failed))
	if r := finish(t, c, sink); r.Attribution != nil || len(r.Steps[0].Snippets) != 0 {
		t.Errorf("got %+v", r.Attribution)
	}
}
