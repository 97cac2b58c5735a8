package blame

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/refs"
)

// drawn renders lines that are made up: commit 1111111 by the author named, contents given, owners in turn.
func drawn(t *testing.T, style Style, author string, contents []string, owners ...Attribution) string {
	t.Helper()
	id, err := refs.ParseOID(strings.Repeat("1", 40))
	if err != nil {
		t.Fatal(err)
	}
	commit := &gitblame.Commit{ID: id, Author: gitblame.Person{Name: author, Mail: "<" + author + ">", Time: 1_700_000_000, TZ: "+0100"}}
	var lines []Annotated
	for i, content := range contents {
		owner := owners[i%len(owners)]
		lines = append(lines, Annotated{
			Line: gitblame.Line{Commit: commit, OrigLine: i + 1, FinalLine: i + 1, OrigPath: "f", Content: []byte(content)}, Owner: &owner,
			Date: "2023-11-14",
		})
	}
	var out bytes.Buffer
	if err := Render(&out, lines, style); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestEachStateHasItsSign(t *testing.T) {
	t.Parallel()
	mixed, unsure := claude, codex
	mixed.Kind, unsure.Confidence = events.OwnerMixed, "low"
	for name, test := range map[string]struct {
		owner Attribution
		sign  string
		drawn Drawn
	}{
		"within the recording":           {Attribution{Kind: events.OwnerUnknown}, "?", Drawn{Unknown: true}},
		"older than the recording":       {Attribution{Kind: events.OwnerOlder}, "", Drawn{Older: true}},
		"a mixed line":                   {mixed, "+", Drawn{Mixed: true}},
		"a line in doubt":                {unsure, "~", Drawn{Unsure: true}},
		"an agent's and a person's line": {claude, "", Drawn{}},
	} {
		for _, prompts := range []bool{false, true} {
			var got Drawn
			style := Style{Drawn: &got, Columns: Columns{Prompts: prompts}}
			text := drawn(t, style, "A U Thor", []string{"line"}, test.owner)
			if !prompts && !strings.Contains(text, " "+test.sign+" 2023-11-14") {
				t.Errorf("%s: the sign is not %q: %s", name, test.sign, text)
			}
			if got != test.drawn && !(prompts && !test.owner.Kind.Known()) { // those are only counted
				t.Errorf("%s, prompts %v: drawn %+v, wanted %+v", name, prompts, got, test.drawn)
			}
			if test.sign != "" && !prompts && !strings.HasPrefix(got.Legend()[0], test.sign+" ") {
				t.Errorf("%s: legend %q", name, got.Legend())
			}
		}
	}
}

func TestColumnsLineUpWhateverTheNames(t *testing.T) {
	t.Parallel()
	long := claude
	long.Agent, long.PromptIndex = "an-agent-whose-name-has-no-end", 123
	mixed, unsure, bare := claude, codex, Attribution{Kind: events.OwnerAI, Agent: "cursor"}
	mixed.Kind = events.OwnerMixed
	unsure.Confidence = "low"
	got := drawn(t, Style{}, "漢字 Ñandú e\u0301 with a name that goes on and on", []string{"a", "b", "c", "d", "e", "f"},
		person, long, mixed, unsure, bare, Attribution{Kind: events.OwnerUnknown})
	want := `
1111111  漢字 Ñandú é with a name…   2023-11-14 1 │ a
1111111  an-agent-whose-… 4f2a#123   2023-11-14 2 │ b
1111111  claude-code        4f2a#3 + 2023-11-14 3 │ c
1111111  codex-cli          b810#1 ~ 2023-11-14 4 │ d
1111111  cursor                      2023-11-14 5 │ e
1111111  漢字 Ñandú é with a name… ? 2023-11-14 6 │ f
`
	if got != want[1:] {
		t.Errorf("got\n%s\nwant%s", got, want)
	}
	for line := range strings.Lines(got) {
		before, _, _ := strings.Cut(line, "│")
		if n := cells.Width(before); n != 50 {
			t.Errorf("the bar stands in column %d in %q", n, line)
		}
	}
}

func TestANarrowScreenShortensNamesButNoIds(t *testing.T) {
	t.Parallel()
	got := drawn(t, Style{Width: 40}, "Somebody With A Long Name", []string{"a", "b"}, person, claude)
	want := `
1111111  Somebody With A L…  2023-11-14 1 │ a
1111111  claude-code 4f2a#3  2023-11-14 2 │ b
`
	if got != want[1:] {
		t.Errorf("got\n%s\nwant%s", got, want)
	}
}

func TestIdsAreAsLongAsTellsThemApart(t *testing.T) {
	t.Parallel()
	other := claude
	other.Trace = "4f2a9cff-3333-5333-8333-333333333333"
	got := drawn(t, Style{}, "A", []string{"a", "b"}, claude, other)
	if !strings.Contains(got, " 4f2a9c0#3 ") || !strings.Contains(got, " 4f2a9cf#3 ") {
		t.Errorf("got\n%s", got)
	}
	style := Style{ShortTrace: func(id events.TraceID) string { return "<" + string(id[:2]) + ">" }}
	if got := drawn(t, style, "A", []string{"a"}, claude); !strings.Contains(got, " <4f>#3 ") {
		t.Errorf("the caller's short id is not used:\n%s", got)
	}
}

const hostile = "\x1b]0;title\x07\x1b[2J\u009b31m\u202egnp.exe\u200f\x7f\xff\r\n"

func TestNothingForeignReachesATerminalAsItIs(t *testing.T) {
	t.Parallel()
	evil := Attribution{
		Kind: events.OwnerAI, Trace: "4f2a9c01" + hostile, Agent: hostile, Model: hostile, Tool: hostile, Session: hostile,
		ToolCall: hostile, PromptIndex: 1, PromptText: hostile + " " + hostile, Patch: hostile, Evidence: hostile,
		Subagent: hostile, Confidence: hostile, Previous: hostile, Limits: []events.Limit{hostile},
		Candidates: []events.CandidateData{{Trace: hostile, ToolCall: hostile}},
	}
	content := strings.TrimSuffix(hostile, "\r\n")
	for name, columns := range map[string]Columns{"table": {}, "prompts": {Prompts: true}, "annotate": {Annotate: true}} {
		out := drawn(t, Style{Terminal: true, Columns: columns}, content, []string{content, content}, evil, person)
		checkSafe(t, name, out)
	}
	headers := string(appendHeaders(nil, &evil, true))
	checkSafe(t, "headers", headers)
	for line := range strings.Lines(headers) {
		if !strings.HasPrefix(line, "trace-") || strings.Count(line, " ") < 1 {
			t.Errorf("header line %q", line)
		}
	}
	// what comes from a log is safe in a pipe too; what comes from the file is the file's
	piped := drawn(t, Style{Columns: Columns{Prompts: true}}, "A", []string{"plain"}, evil)
	checkSafe(t, "piped", piped)
	if out := drawn(t, Style{}, "A", []string{content}, person); !strings.Contains(out, content+"\n") {
		t.Errorf("the content was changed: %q", out)
	}
}

func checkSafe(t *testing.T, name, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Errorf("%s: not UTF-8: %q", name, out)
	}
	for _, r := range out {
		if r != '\n' && r != '\t' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r)) {
			t.Errorf("%s: %U in %q", name, r, out)
			return
		}
	}
}

func TestACarriageReturnAtTheEndOfALineIsNotShownOnATerminal(t *testing.T) {
	t.Parallel()
	if out := drawn(t, Style{Terminal: true}, "A", []string{"dos\r"}, person); !strings.HasSuffix(out, "│ dos\n") {
		t.Errorf("got %q", out)
	}
	if out := drawn(t, Style{}, "A", []string{"dos\r"}, person); !strings.HasSuffix(out, "│ dos\r\n") {
		t.Errorf("got %q", out)
	}
}

func TestTabsAreAsWideOnATerminalAsInTheFile(t *testing.T) {
	t.Parallel()
	for name, columns := range map[string]Columns{"table": {}, "prompts": {Prompts: true}} {
		if out := drawn(t, Style{Terminal: true, Columns: columns}, "A", []string{"a\tb", "\tc"}, claude); !strings.Contains(out, "│ a       b\n") ||
			!strings.Contains(out, "│         c\n") {
			t.Errorf("%s: got %q", name, out)
		}
		if out := drawn(t, Style{Columns: columns}, "A", []string{"a\tb"}, claude); !strings.Contains(out, "│ a\tb\n") {
			t.Errorf("%s: in a pipe: got %q", name, out)
		}
	}
}

func TestAConversationHasOneColourAndPeopleNone(t *testing.T) {
	t.Parallel()
	if TraceColor(claude.Trace) == TraceColor(codex.Trace) {
		t.Errorf("colours %d and %d", TraceColor(claude.Trace), TraceColor(codex.Trace))
	}
	got := drawn(t, Style{Color: true, Terminal: true}, "A", []string{"a", "b"}, claude, person)
	escape := fmt.Sprintf("\x1b[38;5;%dm", TraceColor(claude.Trace))
	want := "\x1b[2m1111111\x1b[m  " + escape + "claude-code 4f2a#3\x1b[m\x1b[2m  2023-11-14 1\x1b[m " + escape + "│\x1b[m a\n" +
		"\x1b[2m1111111\x1b[m  A                 \x1b[2m  2023-11-14 2\x1b[m \x1b[2m│\x1b[m b\n"
	if got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	plain := drawn(t, Style{}, "A", []string{"a", "b"}, claude, person)
	if stripped := stripColours(got); stripped != plain {
		t.Errorf("without its colours %q, drawn without colours %q", stripped, plain)
	}
}

func stripColours(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, text, _ = strings.Cut(after, "m")
	}
}

func TestAQuestionIsWrappedAndCut(t *testing.T) {
	t.Parallel()
	asked := claude
	asked.PromptText = strings.Repeat("make it faster, and ", 20) + "\n\nthen rest"
	asked.Time = time.Date(2026, 11, 18, 23, 0, 0, 0, time.UTC)
	second := asked
	second.Tool = "Write"
	other := codex
	other.PromptText = ""
	got := drawn(t, Style{Width: 60, Columns: Columns{Prompts: true}}, "A",
		[]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"},
		asked, other, person, second, asked)
	want := `
▌4f2a#3 claude-code · claude-opus-4-5 · 2026-11-18
▌  · Edit, Write
▌"make it faster, and make it faster, and make it faster,
▌and make it faster, and make it faster, and make it faster,
▌and make it faster, and make it faster, and make it faster,
▌and make it faster, and make it faster, and make it faster…
▌  1 │ one
▌  4 │ four
▌  5 │ five
▌  6 │ six
▌  9 │ nine
▌ 10 │ ten

▌b810#1 codex-cli · gpt-5-codex · 2023-11-14 · apply_patch
▌(the text of this prompt is not kept here)
▌  2 │ two
▌  7 │ seven

2 lines by people
`
	if got != want[1:] {
		t.Errorf("got\n%s\nwant%s", got, want)
	}
}

func TestAFileWithoutAgentsIsSummedUpByPrompts(t *testing.T) {
	t.Parallel()
	got := drawn(t, Style{Columns: Columns{Prompts: true}}, "A", []string{"one", "two"}, person, Attribution{})
	if got != "1 line by people · 1 line unknown\n" {
		t.Errorf("got %q", got)
	}
}

func TestAnEmptyFileDrawsNothing(t *testing.T) {
	t.Parallel()
	for _, columns := range []Columns{{}, {Prompts: true}, {Annotate: true}} {
		if out := drawn(t, Style{Columns: columns}, "A", nil, person); out != "" {
			t.Errorf("%+v: %q", columns, out)
		}
	}
}

func FuzzOneLine(f *testing.F) {
	f.Add(hostile)
	f.Fuzz(func(t *testing.T, text string) {
		line := oneLine(text)
		if !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return !cells.Printable(r) }) {
			t.Fatalf("one line %q", line)
		}
	})
}

func BenchmarkRender50kLines(b *testing.B) {
	commits := make([]gitblame.Commit, 1000)
	for i := range commits {
		commits[i] = gitblame.Commit{ID: commitID(i + 1), Author: gitblame.Person{Name: "A U Thor"}}
	}
	owners := []Attribution{claude, codex, person, {Kind: events.OwnerUnknown}}
	lines := make([]Annotated, 50_000)
	for i := range lines {
		line := gitblame.Line{
			Commit: &commits[i*7919%1000], OrigPath: "main.go", OrigLine: i + 1, FinalLine: i + 1,
			Content: fmt.Appendf(nil, "\t\tif err := s.close(%d); err != nil {", i),
		}
		lines[i] = Annotated{Line: line, Owner: &owners[i/5%4], Date: "2023-11-14"}
	}
	var out bytes.Buffer
	for b.Loop() {
		out.Reset()
		if err := Render(&out, lines, Style{}); err != nil {
			b.Fatal(err)
		}
	}
}
