package jsonlines_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/git-trace/git-trace/agents/jsonlines"
)

// read gives the objects of a text, each with its offset and line, and the counts.
func read(t testing.TB, text string) ([]string, jsonlines.Faults, int64) {
	t.Helper()
	r := jsonlines.NewReader(strings.NewReader(text), 0, 0)
	var got []string
	for {
		object, err := r.Next()
		if errors.Is(err, io.EOF) {
			return got, r.Faults(), r.End()
		}
		if err != nil {
			t.Fatal(err)
		}
		if object.Offset < 0 || !strings.HasPrefix(text[object.Offset:], string(object.Raw)) {
			t.Errorf("%s does not stand at %d", object.Raw, object.Offset)
		}
		got = append(got, fmt.Sprintf("%d:%s", object.Line, object.Raw))
	}
}

func TestObjectsOfAFile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string
		faults     jsonlines.Faults
		end        int // from the end of the text
	}{
		{name: "an empty file", text: ""},
		{name: "one a line", text: "{\"a\":1}\n{\"a\":2}\n", want: []string{`1:{"a":1}`, `2:{"a":2}`}},
		{name: "with CRLF and a byte order mark", text: "\xEF\xBB\xBF{\"a\":1}\r\n {\"a\":2} \r\n", want: []string{`1:{"a":1}`, `2:{"a":2}`}},
		{name: "with blank lines", text: "\n{}\n \n", want: []string{`2:{}`}},
		{name: "a whole last line without its newline", text: "{\"a\":1}\n{\"a\":2}", want: []string{`1:{"a":1}`, `2:{"a":2}`}},
		{name: "a torn last line", text: "{\"a\":1}\n{\"a\":", want: []string{`1:{"a":1}`}, faults: jsonlines.Faults{Torn: 1}, end: 5},
		{name: "two on one line", text: "{\"a\":1}{\"a\":2}\n{\"a\":3}\n", want: []string{`1:{"a":1}`, `1:{"a":2}`, `2:{"a":3}`}},
		{
			name: "a whole one after one that was cut off in a string", text: "{\"type\":\"x\",\"s\":\"ab{\"type\":\"y\"}\n{\"a\":3}\n",
			want: []string{`1:{"type":"y"}`, `2:{"a":3}`}, faults: jsonlines.Faults{Broken: 1},
		},
		{
			name: "a whole one after one that was cut off before a value", text: "{\"type\":{\"type\":\"y\"}\n",
			want: []string{`1:{"type":"y"}`}, faults: jsonlines.Faults{Broken: 1},
		},
		{name: "the same at the end, where the line may go on", text: "{\"type\":{\"type\":\"y\"}", faults: jsonlines.Faults{Torn: 1}, end: 20},
		{name: "a line that is not JSON", text: "not json\n{\"a\":1}\n", want: []string{`2:{"a":1}`}, faults: jsonlines.Faults{Broken: 1}},
		{name: "a cut line in the middle", text: "{\"a\":[1,\n{\"a\":1}\n", want: []string{`2:{"a":1}`}, faults: jsonlines.Faults{Broken: 1}},
		{name: "JSON that is no object", text: "\"text\"\n42\n[1]\nnull\n{}\n", want: []string{`5:{}`}, faults: jsonlines.Faults{NotObject: 4}},
		{name: "an object after a number", text: "42 {\"a\":1}\n", want: []string{`1:{"a":1}`}, faults: jsonlines.Faults{NotObject: 1}},
		{name: "an object and a torn one on the last line", text: "{\"a\":1}{\"b\":", want: []string{`1:{"a":1}`}, faults: jsonlines.Faults{Torn: 1}, end: 5},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, faults, end := read(t, test.text)
			if !slices.Equal(got, test.want) || faults != test.faults {
				t.Errorf("got %q, %+v; want %q, %+v", got, faults, test.want, test.faults)
			}
			if end != int64(len(test.text)-test.end) {
				t.Errorf("the end is %d of %d", end, len(test.text))
			}
		})
	}
}

func TestALineThatIsTooLongIsSkippedAndCounted(t *testing.T) {
	t.Parallel()
	long := `{"a":"` + strings.Repeat("x", jsonlines.MaxLine) + `"}`
	got, faults, _ := read(t, "{\"a\":1}\n"+long+"\n{\"a\":2}\n")
	if !slices.Equal(got, []string{`1:{"a":1}`, `3:{"a":2}`}) || faults.TooLong != 1 || faults.Lost() != 1 {
		t.Errorf("got %q, %+v", got, faults)
	}
	fits := `{"a":"` + strings.Repeat("x", 3<<20) + `"}`
	if got, faults, _ = read(t, fits+"\n{\"a\":2}\n"); len(got) != 2 || len(got[0]) != len(fits)+2 || faults.Lost() != 0 {
		t.Errorf("got %d objects, %+v", len(got), faults)
	}
}

func TestReadingGoesOnWhereItEnded(t *testing.T) {
	t.Parallel()
	text := "{\"a\":1}\n{\"a\":2}\n{\"a\""
	_, _, end := read(t, text)
	text += ":3}\n"
	r := jsonlines.NewReader(strings.NewReader(text[end:]), end, 2)
	object, err := r.Next()
	if err != nil || string(object.Raw) != `{"a":3}` || object.Line != 3 || object.Offset != end {
		t.Errorf("got %+v, %v", object, err)
	}
}

func TestALineIsCountedWhenItHasEnded(t *testing.T) {
	t.Parallel()
	text := "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n"
	for cut := range text {
		first := jsonlines.NewReader(strings.NewReader(text[:cut]), 0, 0)
		for _, err := first.Next(); err == nil; _, err = first.Next() {
		}
		rest := jsonlines.NewReader(strings.NewReader(text[first.End():]), first.End(), first.Lines())
		line := int64(0)
		for object, err := rest.Next(); err == nil; object, err = rest.Next() {
			line = object.Line
		}
		if rest.Lines() != 3 || line != 0 && line != 3 {
			t.Errorf("cut at %d: %d lines, the last object in line %d", cut, rest.Lines(), line)
		}
	}
}

func TestAnErrorOfTheFileIsGiven(t *testing.T) {
	t.Parallel()
	r := jsonlines.NewReader(io.MultiReader(strings.NewReader("{}\n{}"), iotest.ErrReader(io.ErrClosedPipe)), 0, 0)
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := r.Next(); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("got %v", err)
		}
	}
}

// Nothing is given twice, everything that is given is JSON, and a file of whole lines is given in full.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{"{}\n{}", "{\"a\":1}{\"b\":2}\n", "{\"a\":\"{\"b\":1}\n", "\n\n1\n{\"x\":[{\"y\":1}", "\xEF\xBB\xBF{}\r\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, faults, end := read(t, text)
		if end > int64(len(text)) {
			t.Fatalf("the end is %d of %d", end, len(text))
		}
		objects := 0
		sound := true
		for line := range strings.Lines(text) {
			line = strings.Trim(strings.TrimPrefix(line, "\xEF\xBB\xBF"), " \t\r\n")
			switch {
			case line == "":
			case line[0] == '{' && json.Valid([]byte(line)):
				objects++
			default:
				sound = false
			}
		}
		if sound && (len(got) != objects || faults.Lost() != 0) {
			t.Fatalf("%q has %d objects, got %q, %+v", text, objects, got, faults)
		}
	})
}
