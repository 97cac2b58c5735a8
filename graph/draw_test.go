package graph

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
)

var update = flag.Bool("update", false, "rewrite the golden screens")

var now = time.Date(2026, 11, 18, 16, 0, 0, 0, time.UTC)

const (
	first  events.TraceID = "4f2a0c11-0000-5000-8000-000000000001"
	second events.TraceID = "b8100c11-0000-5000-8000-000000000002"
)

func plainStyle() Style {
	return Style{
		Width: 80, Now: now,
		ShortTrace: func(id events.TraceID) string { return string(id)[:min(4, len(id))] },
		TraceColor: func(id events.TraceID) uint8 { return id[0] },
	}
}

func conversation(trace events.TraceID, agent string, prompt int, files ...FileLines) Contributor {
	return lines(Contributor{Kind: events.OwnerAI, Trace: trace, Agent: agent, Prompt: prompt}, files)
}

func lines(c Contributor, files []FileLines) Contributor {
	c.Files = files
	for _, f := range files {
		c.Lines += f.Lines
	}
	return c
}

func people(files ...FileLines) Contributor {
	return lines(Contributor{Kind: events.OwnerHuman}, files)
}

func nobody(files ...FileLines) Contributor {
	return lines(Contributor{Kind: events.OwnerUnknown}, files)
}

// sampleGraph holds every kind of row once.
func sampleGraph() *Graph {
	commit := func(digit, subject string, age time.Duration, drawn edges, who ...Contributor) Commit {
		c := Commit{
			ID: oid(digit), Short: strings.Repeat(digit, 7), Author: "A U Thor", Mail: "author@example.com",
			Time: now.Add(-age), Subject: subject, Anchored: len(who) > 0, Contributors: who, edges: drawn,
		}
		for _, w := range who {
			c.Added += w.Lines
			switch w.Kind {
			case events.OwnerHuman:
				c.Human += w.Lines
			case events.OwnerAI:
				c.AI += w.Lines
			default:
				c.Unknown += w.Lines
			}
		}
		return c
	}
	merge := newEdges("*   ", []string{`|\  `, "| | ", "| | ", "| | "})
	left := newEdges("* | ", []string{"| | ", "| | ", "| | ", "| | "})
	right := newEdges("| * ", []string{"|/  ", "|   ", "|   ", "|   "})
	root := newEdges("* ", []string{"  ", "  ", "  ", "  "})
	g := &Graph{Commits: []Commit{
		commit("4", "Merge branch 'topic'", 2*time.Hour, merge),
		commit("5", "server: safe close", 3*time.Hour, left,
			conversation(first, "claude-code", 3, FileLines{"server.go", 31}, FileLines{"server_test.go", 60}),
			people(FileLines{"server.go", 9})),
		commit("6", "server: let a long subject show that it gives way to the author at its right", 26*time.Hour, right,
			conversation(first, "claude-code", 12,
				FileLines{"internal/transport/connection_pool_limits.go", 120}, FileLines{"server.go", 3},
				FileLines{"docs/architecture.md", 4}, FileLines{"Makefile", 1}),
			conversation(second, "codex-cli", 1, FileLines{"internal/transport/connection_pool_limits.go", 1}),
			lines(Contributor{
				Kind: events.OwnerAI, Candidates: []Candidate{{first, "claude-code"}, {second, "codex-cli"}},
			}, []FileLines{{"go.mod", 2}}),
			nobody(FileLines{"go.sum", 40})),
		commit("7", "docs: only a person wrote this", 40*24*time.Hour, newEdges("* ", []string{"| ", "| ", "| ", "| "}),
			people(FileLines{"README.md", 3})),
		commit("9", "server: first version", 400*24*time.Hour, root),
	}}
	g.Commits[0].Refs = []string{"HEAD -> main", "origin/main"}
	g.Commits[4].Refs = []string{"tag: v0.1"}
	return g
}

func sampleUncommitted() *Commit {
	c := Uncommitted(belief.Found(nil, &events.CommitData{
		Added: 5, AI: 3, Human: 2, Owners: []events.AnchorOwner{ai(second, 4), {Kind: events.OwnerHuman}},
		Files: []events.AnchorFile{{Path: "later.go", Runs: []events.AnchorRun{run(1, 3, 0), run(4, 2, 1)}}},
	}))
	return &c
}

func TestDrawGivesTheGoldenScreens(t *testing.T) {
	t.Parallel()
	coloured, narrow := plainStyle(), plainStyle()
	coloured.Color = true
	narrow.Width = 48
	for name, style := range map[string]Style{"plain": plainStyle(), "coloured": coloured, "narrow": narrow} {
		var out bytes.Buffer
		g := sampleGraph()
		g.Uncommitted = sampleUncommitted()
		if err := Draw(&out, g, style); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if out.String() != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, out.String(), want)
		}
	}
}

// Whatever names and paths hold, the screen is as wide as it is, and nothing but printable text reaches it.
func TestDrawKeepsToTheScreen(t *testing.T) {
	t.Parallel()
	hostile := []string{
		"\x1b]0;title\x07\x1b[2J", "a\nb", "\u202egnp.exe", strings.Repeat("日本", 60), strings.Repeat("x", 300), "\xff\xfe", "",
	}
	for _, text := range hostile {
		g := sampleGraph()
		for i := range g.Commits {
			c := &g.Commits[i]
			c.Subject, c.Author, c.Refs = text, text, []string{text, text}
			for j := range c.Contributors {
				c.Contributors[j].Agent = text
				for k := range c.Contributors[j].Files {
					c.Contributors[j].Files[k].Path = text
				}
			}
		}
		for _, width := range []int{40, 60, 80, 200} {
			style := plainStyle()
			style.Width = width
			var out bytes.Buffer
			if err := Draw(&out, g, style); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				line = strings.TrimSuffix(line, "\n")
				if got := cells.Width(line); got > width {
					t.Errorf("%q on %d columns takes %d: %q", text, width, got, line)
				}
				if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) || r == '\u202e' }) {
					t.Errorf("%q is not safe: %q", text, line)
				}
			}
		}
	}
}

// Draw draws a graph as text.
func Draw(w io.Writer, g *Graph, style Style) error {
	d := NewDrawer(w, style)
	if g.Uncommitted != nil {
		if err := d.Commit(g.Uncommitted); err != nil {
			return err
		}
	}
	for i := range g.Commits {
		if err := d.Commit(&g.Commits[i]); err != nil {
			return err
		}
	}
	return nil
}
