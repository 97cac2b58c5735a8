package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The promise: a file that is one document, which no reader can take in parts, is converted in some eight times its
// size.
func TestOneDocumentTakesAFewTimesItsSize(t *testing.T) {
	const size, bar = 24 << 20, 200 << 20
	var doc strings.Builder
	doc.WriteString(`{"schema_version":"ATIF-v1.7","session_id":"s","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user","message":"read all"}`)
	for i := 2; doc.Len() < size; i++ {
		fmt.Fprintf(&doc, `,{"step_id":%d,"source":"agent","message":"","tool_calls":[{"tool_call_id":"c","function_name":"bash","arguments":{}}],"observation":`+
			`{"results":[{"source_call_id":"c","content":"%s"}]}}`, i, strings.Repeat(fmt.Sprintf("line %d\\n", i), 800))
	}
	doc.WriteString("]}")
	name := filepath.Join(t.TempDir(), "one.json")
	if err := os.WriteFile(name, []byte(doc.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newPastWorld(t, 1)
	for _, args := range [][]string{
		{"convert", "--format", "opentraces", name}, {"convert", "--format", "opentraces", "--no-redact", name}, {"convert", "--format", "atif", name},
	} {
		least := int64(1 << 40)
		for range 3 { // beside busy processes the collector comes late
			_, most := w.heldBy(t, args...)
			if least = min(least, most); least <= bar {
				break
			}
		}
		t.Logf("%q: %d MB", args[:3], least>>20)
		if least > bar {
			t.Errorf("%q: a document of %d MB takes %d MB", args, size>>20, least>>20)
		}
	}
}
