package blame

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/blamerepo"
)

func compileSchema(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile("../docs/schema/" + name + ".schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(t testing.TB, schema *jsonschema.Schema, output string) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(output))
	if err != nil {
		t.Fatalf("%v in\n%s", err, output)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%v in\n%s", err, output)
	}
}

func TestJSONSaysWhoWroteEachLine(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.Write("close.go", "old\nmade by claude\ncaf\xe9\n")
	first := r.Commit("first")
	r.Write("close.go", "old\nmade by claude\ncaf\xe9\nmade by codex\nby nobody known\n")
	changed := person
	changed.Previous = claude.Patch
	unsure := codex
	unsure.Candidates = []events.CandidateData{
		{Trace: claude.Trace, Agent: "claude-code", Session: "s-1", Subagent: "a1", ToolCall: "toolu_01"},
		{Trace: codex.Trace, Agent: "codex-cli", Session: "s-2", ToolCall: "call_9"},
	}
	unsure.Subagent, unsure.PromptText = "a2", ""
	k := &knows{lines: map[string]Attribution{
		at(first, "close.go", 1):      changed,
		at(first, "close.go", 2):      claude,
		at(noCommit, "close.go", 4):   unsure,
		at(noCommit, "close.go", 999): claude,
	}}
	got, err := r.blame(r.Dir, k, Style{}, "--json", "close.go")
	if err != nil {
		t.Fatal(err)
	}
	id := first.String()
	want := `{"schema":"git-trace.blame/1","path":"close.go","revision":null,"lines":[
{"line":1,"commit":"` + id + `","original_line":1,"original_path":"close.go","author":"A U Thor",` +
		`"author_mail":"author@example.com","author_time":"2023-11-16T00:13:20+02:00","content":"old",` +
		`"contributor":"human","trace":null,"agent":null,"model":null,"session":null,"step":null,"tool_call":null,` +
		`"prompt":null,"patch":null,"evidence":"exact_blob","confidence":"high","previous":"0123456789abcdef0123456789abcdef"},
{"line":2,"commit":"` + id + `","original_line":2,"original_path":"close.go","author":"A U Thor",` +
		`"author_mail":"author@example.com","author_time":"2023-11-16T00:13:20+02:00","content":"made by claude",` +
		`"contributor":"ai","trace":"4f2a9c01-1111-5111-8111-111111111111","agent":"claude-code",` +
		`"model":"claude-opus-4-5","session":"s-1","step":7,"tool_call":"toolu_01",` +
		`"prompt":{"index":3,"text":"close must be safe to call twice, and from any goroutine"},` +
		`"patch":"0123456789abcdef0123456789abcdef","evidence":"exact_blob","confidence":"high"},
{"line":3,"commit":"` + id + `","original_line":3,"original_path":"close.go","author":"A U Thor",` +
		`"author_mail":"author@example.com","author_time":"2023-11-16T00:13:20+02:00","content":"caf\ufffd",` +
		`"content_base64":"Y2Fm6Q==","contributor":"unknown","trace":null,"agent":null,"model":null,"session":null,` +
		`"step":null,"tool_call":null,"prompt":null,"patch":null,"evidence":null,"confidence":null},
{"line":4,"commit":null,"original_line":4,"original_path":"close.go","author":null,"author_mail":null,` +
		`"author_time":null,"content":"made by codex","contributor":"ai",` +
		`"trace":"b810d2e4-2222-5222-8222-222222222222","agent":"codex-cli","model":"gpt-5-codex","session":"s-2",` +
		`"subagent":"a2","step":null,"tool_call":"call_9","prompt":{"index":1},` +
		`"patch":"fedcba9876543210fedcba9876543210","evidence":"exact_lines","confidence":"high",` +
		`"candidates":[{"trace":"4f2a9c01-1111-5111-8111-111111111111","agent":"claude-code","session":"s-1",` +
		`"subagent":"a1","tool_call":"toolu_01"},{"trace":"b810d2e4-2222-5222-8222-222222222222","agent":"codex-cli",` +
		`"session":"s-2","tool_call":"call_9"}]},
{"line":5,"commit":null,"original_line":5,"original_path":"close.go","author":null,"author_mail":null,` +
		`"author_time":null,"content":"by nobody known","contributor":"unknown","trace":null,"agent":null,"model":null,` +
		`"session":null,"step":null,"tool_call":null,"prompt":null,"patch":null,"evidence":null,"confidence":null}
]}
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	validate(t, compileSchema(t, "blame-1"), got)
	if string(k.content) != r.Read("close.go") {
		t.Errorf("the resolver was given %q", k.content)
	}
}

func TestJSONHoldsItsSchemaForOddFiles(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t, "blame-1")
	for _, initArgs := range [][]string{nil, {"--object-format=sha256"}} {
		r := history(t, initArgs...)
		r.Write("empty", "")
		r.Commit("an empty file")
		for _, args := range []string{"sub.go", "latin1.txt", "crlf.txt", "empty", "HEAD~1 -- sub.go", "v1 server.go",
			"--reverse v1..HEAD -- server.go", "--contents contents.txt other.txt", "-L1,1 sub.go", "--only-ai sub.go",
			"-- od\"d n\u00e4me\t.txt", "--show-stats --score-debug -f sub.go"} {
			out, err := r.blame(r.Dir, &knows{}, Style{}, append([]string{"--json"}, blamerepo.Words(args)...)...)
			if err != nil {
				t.Errorf("%s: %v", args, err)
				continue
			}
			validate(t, schema, out)
		}
	}
}

func TestTheRevisionOfTheJSONIsThatOfTheContent(t *testing.T) {
	t.Parallel()
	r := history(t)
	oid := func(rev string) string { return `"` + strings.TrimSpace(r.Git("rev-parse", rev+"^{commit}")) + `"` }
	tests := map[string]string{
		"sub.go":                               "null",
		"--since=2023-11-18 sub.go":            "null",
		"^HEAD~2 -- sub.go":                    "null",
		"--contents contents.txt other.txt":    "null",
		"HEAD sub.go":                          oid("HEAD"),
		"sub.go HEAD~1":                        oid("HEAD~1"),
		"v1 server.go":                         oid("v1"),
		"HEAD~3..HEAD~1 -- sub.go":             oid("HEAD~1"),
		"--reverse v1..HEAD -- server.go":      oid("v1"),
		"--reverse v1 -- server.go":            oid("v1"),
		"--first-parent HEAD~2 -- dir/lib.go":  "",
		"--first-parent main~1 -- dir/lib.go":  oid("main~1"),
		"--reverse HEAD~1..HEAD -- dir/lib.go": oid("HEAD~1"),
	}
	for args, want := range tests {
		out, err := r.blame(r.Dir, &knows{}, Style{}, append([]string{"--json"}, blamerepo.Words(args)...)...)
		if want == "" {
			if err == nil {
				t.Errorf("%s: no error", args)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		head, _, _ := strings.Cut(out, `,"lines"`)
		if !strings.HasSuffix(head, `"revision":`+want) {
			t.Errorf("%s: %s, want revision %s", args, head, want)
		}
	}
}

func TestABareRepositoryIsBlamedAtHEAD(t *testing.T) {
	t.Parallel()
	r := history(t)
	bare := t.TempDir()
	r.Git("clone", "-q", "--bare", r.Dir, bare)
	out, err := r.blame(bare, &knows{}, Style{}, "--json", "dir/lib.go")
	if err != nil {
		t.Fatal(err)
	}
	if want := `"path":"dir/lib.go","revision":"` + r.Head().String() + `"`; !strings.Contains(out, want) {
		t.Errorf("%.200s\nwant %s", out, want)
	}
}

func FuzzJSONString(f *testing.F) {
	f.Add("plain \"quoted\" \\ \\r \t\n\r\b\f\x00\x7f\u0085\u009b\u2028 é 漢 \U0001f600 \xff\xfe")
	f.Fuzz(func(t *testing.T, text string) {
		encoded, err := encode(members{{"in", members{}.exact("b", text)}})
		if err != nil {
			t.Fatal(err)
		}
		var decoded struct {
			In struct {
				B     string
				Exact []byte `json:"b_base64"`
			}
		}
		if err := json.Unmarshal(encoded, &decoded); err != nil {
			t.Fatalf("%v in %s", err, encoded)
		}
		in := decoded.In
		if valid := utf8.ValidString(text); valid && in.B != text || !valid && string(in.Exact) != text {
			t.Fatalf("%q became %q, %q", text, in.B, in.Exact)
		}
		for _, r := range string(encoded) {
			if r < ' ' || r >= 0x7f && r < 0xa0 {
				t.Fatalf("control character %U in %q", r, encoded)
			}
		}
	})
}
