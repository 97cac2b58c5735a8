package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

func TestCanonicalForm(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxField)
	tests := map[string]struct{ in, want string }{
		"members are sorted and space is dropped":    {`{ "b" : 1 , "a" : [ "x" , 2 ] }`, `{"a":["x",2],"b":1}`},
		"names are sorted by UTF-16 code units":      {`{"\ue000":1,"😀":2,"é":3}`, `{"é":3,"😀":2,"` + "\ue000" + `":1}`},
		"escapes that are not needed are undone":     {`"\u0041\/\u00e9\u2028"`, "\"A/é\u2028\""},
		"control characters get the shortest escape": {`"\u0008\u0009\u000a\u000c\u000d\u0000\u001F\u007f"`, `"\b\t\n\f\r\u0000\u001f` + "\x7f" + `"`},
		"quote and backslash":                        {`"\u0022\u005c"`, `"\"\\"`},
		"a pair of surrogates is one character":      {`"\ud83d\ude00"`, `"😀"`},
		"the largest and the smallest integer":       {`[9007199254740991,-9007199254740991,0]`, `[9007199254740991,-9007199254740991,0]`},
		"empty object, array and string":             {`{"a":{},"b":[],"c":""}`, `{"a":{},"b":[],"c":""}`},
		"the longest string":                         {`"` + long + `"`, `"` + long + `"`},
		"of a doubled member the last one stays":     {`{"a":1,"a":2}`, `{"a":2}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Canonical([]byte(test.in))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if err := checkCanonical(got, MaxDepth); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCanonicalRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"a float":                            `1.5`,
		"an integer written as a float":      `1.0`,
		"an exponent":                        `1e3`,
		"an integer beyond 2^53-1":           `9007199254740992`,
		"an integer beyond 64 bits":          `99999999999999999999`,
		"true":                               `{"a":true}`,
		"null":                               `[null]`,
		"nothing":                            ``,
		"two values":                         `1 2`,
		"an unfinished object":               `{"a":1`,
		"what is not UTF-8":                  "\"\xff\"",
		"a string that is too long":          `"` + strings.Repeat("x", MaxField+1) + `"`,
		"a long string that is not shortest": `"` + strings.Repeat(`\/`, MaxField+1) + `"`,
		"deep nesting":                       strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1),
		"very deep nesting":                  strings.Repeat("[", 100_000),
	}
	for name, in := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := Canonical([]byte(in)); err == nil {
				t.Errorf("accepted as %.80s", got)
			}
		})
	}
}

func TestCheckCanonicalRefusesOtherSpellings(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		` 1`, `1 `, `{"a": 1}`, `{"b":1,"a":2}`, `{"a":1,"a":1}`, `[1,]`, `{"a":1,}`, `[,1]`, `01`, `-0`, `+1`, `--1`, `-`,
		`"\u0041"`, `"\/"`, `"\u001F"`, `"\u000a"`, `"\u007f"`, `"\ud83d\ude00"`, `"\x"`, `"\`, `"\u00`, "\"a\nb\"", "\"\x00\"", `"a`, `{a:1}`,
		`{"😀":1,"` + "\ue000" + `":1,"é":1}`,
	} {
		if err := checkCanonical([]byte(in), MaxDepth); !errors.Is(err, ErrNotCanonical) {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// What is checked is what Canonical writes, and nothing else: texts of a few pieces of JSON, put together by chance.
func TestCanonicalIsWhatCanonicalWrites(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 32))
	pieces := []string{
		`"`, `""`, `\`, `\"`, `\\`, `\b`, `\t`, `\n`, `\f`, `\r`, `\u0`, `\u00`, `\u000`, `\u001`, `0`, `1`, `2`, `8`, `9`, `a`, `f`, `u`, `F`, `-`,
		`9007199254740991`, `9007199254740992`, `[`, `]`, `{`, `}`, `:`, `,`, ` `, `"a":`, `"b":1`, `"é":[]`, `"\u001f":2`, `"b"`, `é`, "\xc3", "\xff",
		"\x1f", "\x20", "\x7f", "\ufffd", "😀", `"😀":{}`, "\"\ue000\":3",
	}
	var value func(depth int) string
	value = func(depth int) string {
		var list []string
		for range random.IntN(4) {
			switch n := random.IntN(6); {
			case n == 0 && depth > 0:
				list = append(list, value(depth-1))
			case n < 3:
				list = append(list, `"`+pieces[random.IntN(len(pieces))]+pieces[random.IntN(len(pieces))]+`"`)
			default:
				list = append(list, pieces[random.IntN(len(pieces))])
			}
		}
		if random.IntN(2) == 0 {
			return "[" + strings.Join(list, ",") + "]"
		}
		for i := range list {
			list[i] = `"` + pieces[random.IntN(len(pieces))] + `":` + list[i]
		}
		return "{" + strings.Join(list, ",") + "}"
	}
	const depth = 3
	accepted := 0
	for range 60_000 {
		text := value(4)
		switch random.IntN(3) {
		case 0: // anything
			text = ""
			for range 1 + random.IntN(6) {
				text += pieces[random.IntN(len(pieces))]
			}
		case 1: // cut off, or with a piece more
			at := random.IntN(len(text) + 1)
			text = text[:at] + []string{"", pieces[random.IntN(len(pieces))] + text[at:]}[random.IntN(2)]
		}
		written, err := Canonical([]byte(text))
		want := err == nil && string(written) == text && nested(text) <= depth
		if got := checkCanonical([]byte(text), depth) == nil; got != want {
			t.Fatalf("%q: accepted %v; it is written %q, %v", text, got, written, err)
		}
		if want {
			accepted++
		}
	}
	if accepted < 2000 {
		t.Errorf("no more than %d were canonical", accepted)
	}
}

// nested is how deep the arrays and objects of a JSON text are.
func nested(text string) (most int) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '[' || c == '{'):
			depth++
			most = max(most, depth)
		case !quoted && (c == ']' || c == '}'):
			depth--
		}
	}
	return most
}

// Each byte stops the search where it has to, wherever it stands among eight that are looked at together.
func TestPlainBytesEndBeforeTheFirstOther(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		for at := range 20 {
			text := bytes.Repeat([]byte{'!'}, 21)
			text[at], text[at+1] = byte(c), '!'^1
			want := at
			if c >= 0x20 && c < 0x80 && c != '"' && c != '\\' {
				want = len(text)
			}
			if got := plainBytes(text); got != want {
				t.Errorf("byte %#x at %d: %d plain ones, want %d", c, at, got, want)
			}
		}
	}
}

func TestHowLongAnEscapeIs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`\`: 0, `\n`: 2, `\nx`: 2, `\x`: 0, `\u`: 0, `\u001`: 0, `\u001f`: 6, `\u001f0`: 6, `\u001F`: 0, `\u0020`: 0, `\u0100`: 0, `\u1000`: 0,
		`\u000a`: 0, `\u0008`: 0, `\u0000`: 6, `\u001g`: 0, `\/`: 0, `\"`: 2,
	} {
		if got := escapeLength([]byte(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

func TestEncodeWritesStructs(t *testing.T) {
	t.Parallel()
	type inner struct {
		Why   string `json:"why"`
		Start int    `json:"start"`
	}
	type outer struct {
		Patch  PatchID  `json:"patch"`
		Path   string   `json:"path"`
		Before refs.OID `json:"before,omitzero"`
		After  refs.OID `json:"after"`
		Count  int64    `json:"count"`
		Step   int      `json:"step,omitempty"`
		Kept   []inner  `json:"kept,omitempty"`
		Gone   []inner  `json:"gone,omitempty"`
		hidden int
	}
	got, err := Encode(outer{Patch: "p", Path: `"\303"`, After: refs.SHA1.EmptyTree(), Kept: []inner{{"moved", 2}, {}}, Gone: []inner{}, hidden: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"after":"4b825dc642cb6eb9a060e54bf8d69288fbee4904","count":0,"kept":[{"start":2,"why":"moved"},{"start":0,"why":""}],"patch":"p","path":"\"\\303\""}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, bad := range []any{nil, true, 1.5, map[string]string{}, (*int)(nil), struct{ A any }{}, "\xff", int64(MaxInt + 1)} {
		if got, err := Encode(bad); err == nil {
			t.Errorf("Encode(%#v) gives %s", bad, got)
		}
	}
}

// FuzzCanonical holds that the canonical form is a fixed point and says the same as the text it was made from.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":[1,-2,"x"],"a":{"😀":"\u0000"}}`, `"\ud800"`, `[[[]]]`, `{"a":1,"a":2}`, `-0`, `1e1`, "\"\u2028\x7f\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := Canonical(in)
		if err != nil {
			return
		}
		if err := checkCanonical(out, MaxDepth); err != nil {
			t.Fatalf("%q becomes %q: %v", in, out, err)
		}
		var a, b any
		if json.Unmarshal(in, &a) != nil || json.Unmarshal(out, &b) != nil {
			t.Fatalf("%q becomes %q: not JSON", in, out)
		}
		if bytes.Contains(in, []byte("-0")) {
			return // a float of its own to encoding/json, zero to RFC 8785
		}
		again, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		same, err := json.Marshal(b)
		if err != nil || !bytes.Equal(again, same) {
			t.Fatalf("%q becomes %q, which says something else", in, out)
		}
	})
}
