package redact

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
)

func TestPathsInAWorkTreeAreWrittenAsTheyAreBelowIt(t *testing.T) {
	t.Parallel()
	places := placesOf([]string{"/data/src/shop", "/data/src/shop/vendor/lib", "/app", `D:/Work/Shop One`})
	for text, want := range map[string]string{
		"/data/src/shop/a.go":                              "a.go",
		"/data/src/shop":                                   ".",
		"cd /data/src/shop && go test":                     "cd . && go test",
		"cd /data/src/shop/ && ls":                         "cd ./ && ls",
		"It is in /data/src/shop.":                         "It is in ./.",
		"/data/src/shop/vendor/lib/x.c":                    "x.c",
		"rm /data/src/shop/-x":                             "rm ./-x",
		"-v /data/src/shop:/srv":                           "-v .:/srv",
		"gcc -I/data/src/shop/inc":                         "gcc -Iinc",
		"host:/data/src/shop/a":                            "host:a",
		"file:///data/src/shop/a.go":                       "file://./a.go",
		"\x1b[31m/data/src/shop/a.go\x1b[0m":               "\x1b[31ma.go\x1b[0m",
		`"one\n/data/src/shop/a.go:3\ttwo"`:                `"one\na.go:3\ttwo"`,
		`{"p":"\/data\/src\/shop\/a.go"}`:                  `{"p":"a.go"}`,
		"/data/src/shop-old/a.go":                          "/data/src/shop-old/a.go",
		"/data/src/shop.git":                               "/data/src/shop.git",
		"/data/src/shopping/a.go":                          "/data/src/shopping/a.go",
		"/mnt/data/src/shop/a.go":                          "/mnt/data/src/shop/a.go",
		"x/data/src/shop/a.go":                             "x/data/src/shop/a.go",
		"GET /app/users":                                   "GET /app/users",
		`d:\Work\Shop One\a\b.go`:                          `a\b.go`,
		`{"p":"D:\\Work\\Shop One\\b.go"}`:                 `{"p":"b.go"}`,
		"/mnt/d/Work/Shop One/b.go and /d/Work/Shop One/c": "b.go and c",
		"file:///d%3A/Work/Shop One/b.go":                  "file://./b.go",
	} {
		got := relative(text, places)
		if got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
		if again := relative(got, places); again != got {
			t.Errorf("once more %q became %q", got, again)
		}
	}
}

// No member of a record is left out, and what else is taken out still is.
func TestARecordTellsNoWorkTree(t *testing.T) {
	t.Parallel()
	r, err := New(Options{Trees: []string{"/home/anna/src/shop"}})
	if err != nil {
		t.Fatal(err)
	}
	text, n, err := r.Text(t.Context(), "vi /home/anna/src/shop/a.go /home/anna/.profile")
	if err != nil || text != "vi a.go /home/"+somebody+"/.profile" || n != 1 {
		t.Errorf("%q, %d, %v", text, n, err)
	}
	step := records.Step{StepIndex: 1, Content: new("see /home/anna/src/shop/a.go"), ToolCalls: []records.ToolCall{{
		ToolCallID: "c", ToolName: "Edit", Input: json.RawMessage(`{"file_path":"/home/anna/src/shop/a.go","/home/anna/src/shop":1}`),
	}}}
	clean, err := r.Record(t.Context(), &records.Record{Steps: []records.Step{step}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = clean.Close() }()
	var out bytes.Buffer
	if err := clean.Write(&out); err != nil || strings.Contains(out.String(), "src") || clean.Head().Security.RedactionsApplied != 0 {
		t.Errorf("%s, %v", out.String(), err)
	}
	other, err := New(Options{Trees: []string{"/home/anna/src/other"}})
	if err != nil || other.Fingerprint() == r.Fingerprint() {
		t.Errorf("another work tree gives the same redactor, %v", err)
	}
}
