package sessionfile_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/sessionfile"
)

// objects gives what a document holds, one object a line, and what could not be read.
func objects(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := sessionfile.Document(path, "messages")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var out strings.Builder
	in := file.From(0, 0)
	for {
		object, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if offset := int(object.Offset); !strings.HasPrefix(text[offset:], string(object.Raw[:1])) && text[offset] != '"' {
			t.Errorf("%s begins at %d", object.Raw, offset)
		}
		if want := 1 + strings.Count(text[:object.Offset], "\n"); int(object.Line) != want {
			t.Errorf("%s stands in line %d, not %d", object.Raw, want, object.Line)
		}
		fmt.Fprintf(&out, "%s\n", object.Raw)
	}
	if f := in.Faults(); f.Lost() > 0 {
		fmt.Fprintf(&out, "%+v\n", f)
	}
	return out.String()
}

func TestADocumentIsReadElementByElement(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"one on a line", `{"id":"a","messages":[{"n":1},{"n":2}],"kind":"main"}`, "{\"id\":\"a\"}\n{\"n\":1}\n{\"n\":2}\n{\"kind\":\"main\"}\n"},
		{"spread over lines", "{\n \"id\" : 1,\n \"messages\" : [\n  {\"a\":[1,\n2]} ,\n {}\n ]\n}\n", "{\"id\":1}\n{\"a\":[1,\n2]}\n{}\n"},
		{"brackets and quotes in strings", `{"messages":[{"t":"}]\"{\\"},{"t":"\\\\"}]}`, "{\"t\":\"}]\\\"{\\\\\"}\n{\"t\":\"\\\\\\\\\"}\n"},
		{"no list", `{"id":{"x":[1]}}`, "{\"id\":{\"x\":[1]}}\n"},
		{"an empty list", `{"messages":[]}`, ""},
		{"a list that is none", `{"messages":{"a":1}}`, "{\"messages\":{\"a\":1}}\n"},
		{"no objects in the list", `{"messages":[1,"x",[2],{"n":1},null]}`, "{\"n\":1}\n{NotObject:4 Broken:0 TooLong:0 Torn:0}\n"},
		{"it breaks off in the list", `{"id":1,"messages":[{"n":1},{"n":`, "{\"id\":1}\n{\"n\":1}\n{NotObject:0 Broken:0 TooLong:0 Torn:1}\n"},
		{"it breaks off in a string", `{"messages":[{"n":"abc`, "{NotObject:0 Broken:0 TooLong:0 Torn:1}\n"},
		{"an element is broken", `{"messages":[{"n" 1},{"n":2}]}`, "{\"n\":2}\n{NotObject:0 Broken:1 TooLong:0 Torn:0}\n"},
		{"a byte that cannot stand there", `{"messages":[{"n":1}}`, "{\"n\":1}\n{NotObject:0 Broken:1 TooLong:0 Torn:0}\n"},
		{"a list", `[{"n":1}]`, ""},
		{"nothing", "", ""},
		{"text", "hello", ""},
		{"too long", `{"messages":[{"n":"` + strings.Repeat(`x\"`, 12<<20) + `"},{"n":2}]}`, "{\"n\":2}\n{NotObject:0 Broken:0 TooLong:1 Torn:0}\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := objects(t, test.text); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestADocumentIsToldFromLines(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]bool{
		"{\n  \"sessionId\": \"x\",":                     true,
		"{\r\n":                                          true,
		`{"sessionId":"x","messages":[{"a":1`:            true,
		`{"sessionId":"x","projectHash":"y"}` + "\n{}\n": false,
		`{"messages":7}`:                                 false,
		"":                                               false,
		"[{}]":                                           false,
	} {
		if got := sessionfile.Begins([]byte(head), "messages"); got != want {
			t.Errorf("%q: got %v", head, got)
		}
	}
}

func FuzzDocument(f *testing.F) {
	f.Add(`{"id":"a","messages":[{"n":1},{"n":"\\\""}],"kind":"main"}`)
	f.Fuzz(func(t *testing.T, text string) { objects(t, text) })
}
