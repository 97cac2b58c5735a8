package graph

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

type form struct {
	write func(*bytes.Buffer, *Graph) error
	file  string
}

func forms() map[string]form {
	return map[string]form{
		"DOT":     {func(b *bytes.Buffer, g *Graph) error { return WriteDOT(b, g, plainStyle()) }, "graph.dot"},
		"Mermaid": {func(b *bytes.Buffer, g *Graph) error { return WriteMermaid(b, g, plainStyle()) }, "graph.mmd"},
		"HTML":    {func(b *bytes.Buffer, g *Graph) error { return WriteHTML(b, g, plainStyle()) }, "graph.html"},
	}
}

// linked is the sample with its commits in a row.
func linked() *Graph {
	g := sampleGraph()
	for i := range g.Commits[:len(g.Commits)-1] {
		g.Commits[i].Parents = []refs.OID{g.Commits[i+1].ID}
	}
	return g
}

func TestEachFormShowsCommitsAndConversations(t *testing.T) {
	t.Parallel()
	for name, f := range forms() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := f.write(&out, linked()); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", f.file)
			if *update {
				if err := os.WriteFile(golden, out.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out.Bytes(), want) {
				t.Errorf("got\n%s\nwant\n%s", out.Bytes(), want)
			}
		})
	}
}

// What a form holds besides foreign text: everything outside of these is a fault.
var (
	dotLine = regexp.MustCompile(`^\t[ctx][0-9a-f]+( -> [ctx][0-9a-f]+)?( \[[a-z]+=[^"\\&]*("rounded,filled", fillcolor="#e8eefc", )?label="([^"\\&]|\\[\\"n]|&amp;)*"\])?;$`)
	mmdLine = regexp.MustCompile(`^    [ctx][0-9a-f]+(\[|\(\[| -. )?( --> )?("([^"#<&;` + "`" + `]|#[0-9]+;|<br/>)*")?(\]|\]\)| \.-> )?([ctx][0-9a-f]+)?$`)
	htmlTag = regexp.MustCompile(`</?(!DOCTYPE html|html lang="en"|html|head|meta [^<>]*|title|style|body|h1|ol|li class="commit"( id="c[0-9a-f]+")?|li|span class="[a-z]+"( style="flex: [0-9]+")?|span|div class="[a-z]+"( title="[0-9a-z, ]+")?|div|a href="#c[0-9a-f]+"|a|table|tr|td( class="lines")?|br)>`)
)

// checkForms fails if text of names, subjects, paths or a foreign log means anything to a form.
func checkForms(t *testing.T, hostile string) {
	t.Helper()
	g := linked()
	for i := range g.Commits {
		c := &g.Commits[i]
		c.Subject, c.Author, c.Refs = hostile, hostile, []string{hostile}
		for k := range c.Contributors {
			who := &c.Contributors[k]
			who.Agent, who.Model = hostile, hostile
			if who.Trace != "" {
				who.Trace = events.TraceID(hostile)
			}
			for f := range who.Files {
				who.Files[f].Path = hostile
			}
		}
	}
	for name, f := range forms() {
		var out bytes.Buffer
		if err := f.write(&out, g); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if !utf8.ValidString(text) {
			t.Fatalf("%s of %q is not UTF-8", name, hostile)
		}
		if at := strings.IndexFunc(text, func(r rune) bool {
			return r != '\n' && r != '\t' && (r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0)
		}); at >= 0 {
			t.Fatalf("%s of %q holds the control character %q", name, hostile, text[at])
		}
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		switch name {
		case "DOT":
			for _, line := range lines[3 : len(lines)-1] {
				if !dotLine.MatchString(line) {
					t.Fatalf("DOT of %q: %s", hostile, line)
				}
			}
		case "Mermaid":
			for _, line := range lines[1:] {
				if !mmdLine.MatchString(line) {
					t.Fatalf("Mermaid of %q: %s", hostile, line)
				}
			}
		case "HTML":
			body := text[len(pageHead):]
			if rest := htmlTag.ReplaceAllString(body, ""); strings.ContainsAny(rest, `<>"'`) {
				t.Fatalf("HTML of %q: %s", hostile, rest)
			}
		}
	}
}

func TestForeignTextMeansNothingToAnyForm(t *testing.T) {
	t.Parallel()
	for _, hostile := range []string{
		"plain", "", `"]; evil [label="`, `\N \" \\`, "a\nb\r\n\tc", "<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`,
		`' onmouseover='x`, "&lt;b&gt; &amp; &#x41;", "%%{init: {}}%%", "`markdown` **bold**", "end; click c1 \"javascript:x\"",
		"\x1b]8;;http://example.com\x07", "\x9b31m \u202e \u200b", "\xff\xfe", "--> c2", "]) --> x", "#35; #quot;", "subgraph\nend",
	} {
		checkForms(t, hostile)
	}
}

func FuzzForms(f *testing.F) {
	f.Add(`"]; <b> &amp; \N #35; ` + "`")
	f.Fuzz(func(t *testing.T, hostile string) { checkForms(t, hostile) })
}
