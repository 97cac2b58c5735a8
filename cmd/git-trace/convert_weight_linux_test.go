package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// The promise: a file that is one document, which no reader can take in parts, is converted in some eight times its
// size. Spans, which say everything twice, are converted in some three times theirs.
func TestOneDocumentTakesAFewTimesItsSize(t *testing.T) {
	testenv.Wide(t)
	const size = 24 << 20
	var doc strings.Builder
	doc.WriteString(`{"schema_version":"ATIF-v1.7","session_id":"s","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user","message":"read all"}`)
	for i := 2; doc.Len() < size; i++ {
		fmt.Fprintf(&doc, `,{"step_id":%d,"source":"agent","message":"","tool_calls":[{"tool_call_id":"c","function_name":"bash","arguments":{}}],"observation":`+
			`{"results":[{"source_call_id":"c","content":"%s"}]}}`, i, strings.Repeat(fmt.Sprintf("line %d\\n", i), 800))
	}
	doc.WriteString("]}")
	name := filepath.Join(testenv.TempDir(t), "one.json")
	if err := os.WriteFile(name, []byte(doc.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newPastWorld(t, 1)
	spans := w.command("git-trace", "convert", "--no-redact", "--format", "otlp", name)
	var err error
	if spans.Stdout, err = os.Create(name + ".otlp"); err != nil {
		t.Fatal(err)
	}
	w.must(spans.Run())
	for _, test := range []struct {
		args []string
		bar  int64 // MB
	}{
		{[]string{"convert", "--format", "opentraces", name}, 200},
		{[]string{"convert", "--format", "opentraces", "--no-redact", name}, 200},
		{[]string{"convert", "--format", "atif", name}, 200},
		{[]string{"convert", "--format", "opentraces", name + ".otlp"}, 180},
	} {
		least := int64(1 << 40)
		for range 3 { // beside busy processes the collector comes late
			_, most := w.heldBy(t, test.args...)
			if least = min(least, most>>20); least <= test.bar {
				break
			}
		}
		t.Logf("%q: %d MB", test.args, least)
		if least > test.bar {
			t.Errorf("%q: it takes %d MB", test.args, least)
		}
	}
}
