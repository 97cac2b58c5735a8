package rawjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/git-trace/git-trace/records/rawjson"
)

func TestWalkingTakesWhatIsAskedForAndSkipsTheRest(t *testing.T) {
	t.Parallel()
	d := rawjson.NewDecoder([]byte(` { "type" : "user", "skip":{"a":[1,{"b":"}"}]}, "n": 12, "list":["x",["y"],"z"],
		"raw": {"k": [ ] }, "f":1.5, "yes":true, "no":false, "es\u0063":"a\"\u00e9\ud83d\ude00\/" } `))
	got := map[string]any{}
	for d.Open(); d.Member(); {
		switch key := string(d.Key()); key {
		case "type", "esc":
			got[key] = d.Text()
		case "n":
			got[key] = d.Int()
		case "f":
			got[key] = d.Float()
		case "yes", "no":
			got[key] = d.Bool()
		case "raw":
			got[key] = string(d.Raw())
		case "list":
			var list []string
			for d.OpenArray(); d.Element(); {
				list = append(list, d.Text())
			}
			got[key] = strings.Join(list, ",")
		}
	}
	want := map[string]any{
		"type": "user", "n": int64(12), "list": "x,,z", "raw": `{"k": [ ] }`, "f": 1.5, "yes": true, "no": false, "esc": "a\"é😀/",
	}
	if d.Err() != nil || len(got) != len(want) {
		t.Fatalf("got %v, %v", got, d.Err())
	}
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%s is %v, want %v", key, got[key], value)
		}
	}
	if rest := bytes.TrimSpace(d.Rest()); len(rest) != 0 {
		t.Errorf("%q is left", rest)
	}
}

func TestAValueOfAnotherKindGivesNothingAndLosesNothing(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`null`, `1`, `"text"`, `[{"x":1}]`, `{"x":[1]}`, `true`} {
		d := rawjson.NewDecoder([]byte(`{"a":` + value + `,"b":` + value + `,"c":` + value + `,"last":"here"}`))
		last := ""
		for d.Open(); d.Member(); {
			switch string(d.Key()) {
			case "a":
				members := 0
				for d.Open(); d.Member(); {
					members++
				}
				if members > 0 && value[0] != '{' {
					t.Errorf("%s has %d members", value, members)
				}
			case "b":
				for d.OpenArray(); d.Element(); {
					if value[0] != '[' {
						t.Errorf("%s has elements", value)
					}
				}
			case "c":
				if text := d.Text(); text != "" && value[0] != '"' {
					t.Errorf("%s gives the text %q", value, text)
				}
			case "last":
				last = d.Text()
			}
		}
		if d.Err() != nil || last != "here" {
			t.Errorf("after %s: %q, %v", value, last, d.Err())
		}
	}
}

func TestBrokenTextsAreNoticed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       error
	}{
		{"an object that ends early", `{"a":1`, rawjson.ErrTruncated},
		{"a string that ends early", `{"a":"x`, rawjson.ErrTruncated},
		{"a string whose last quote is escaped", `{"a":"x\"}`, rawjson.ErrTruncated},
		{"a literal that ends early", `{"a":tru`, rawjson.ErrTruncated},
		{"a member without a value", `{"a":}`, rawjson.ErrSyntax},
		{"a member without a colon", `{"a" 1}`, rawjson.ErrSyntax},
		{"a comma too many", `{"a":1,}`, rawjson.ErrSyntax},
		{"a comma too many in an array", `[1,]`, rawjson.ErrSyntax},
		{"a comma too early", `[,1]`, rawjson.ErrSyntax},
		{"a member without a name", `{1:2}`, rawjson.ErrSyntax},
		{"brackets that do not match", `{"a":[}`, rawjson.ErrSyntax},
		{"two values without a comma", `[1 2]`, rawjson.ErrSyntax},
		{"a word", `{"a":word}`, rawjson.ErrSyntax},
		{"a number that is none", `[01]`, rawjson.ErrSyntax},
		{"a record cut off by the next", `{"type":"user","message":{"con{"type":"user"}`, rawjson.ErrSyntax},
		{"nesting without end", strings.Repeat("[", 100_000), rawjson.ErrDepth},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := rawjson.NewDecoder([]byte(test.text))
			if d.Skip(); !errors.Is(d.Err(), test.want) {
				t.Errorf("skipping gives %v, want %v", d.Err(), test.want)
			}
			d.Reset([]byte(test.text))
			walk(d)
			if !errors.Is(d.Err(), test.want) {
				t.Errorf("walking gives %v, want %v", d.Err(), test.want)
			}
		})
	}
}

func TestValuesFollowEachOther(t *testing.T) {
	t.Parallel()
	d := rawjson.NewDecoder([]byte(`{"a":1}{"a":2} [3]`))
	var got []string
	for len(bytes.TrimSpace(d.Rest())) > 0 {
		got = append(got, string(d.Raw()))
	}
	if strings.Join(got, "|") != `{"a":1}|{"a":2}|[3]` || d.Err() != nil {
		t.Errorf("got %q, %v", got, d.Err())
	}
}

// walk reads every value one by one.
func walk(d *rawjson.Decoder) {
	switch d.Kind() {
	case rawjson.Object:
		for d.Open(); d.Member(); {
			walk(d)
		}
	case rawjson.Array:
		for d.OpenArray(); d.Element(); {
			walk(d)
		}
	case rawjson.String:
		d.Text()
	default:
		d.Skip()
	}
}

// What encoding/json takes is walked to its end, skipped to its end, and means the same strings.
func FuzzDecoder(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,{"b":"c"}],"d":null}`, `"\u00e9\ud83d\ude00\ud800x"`, `[[],{}, -1.5e+7 ,true]`, `{"a":1}{`, "\"\xff\"", `{"a\n":"\\"}`, "\"\\\xff\"",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := rawjson.NewDecoder(data)
		walk(d)
		valid := json.Valid(data)
		if valid && (d.Err() != nil || len(bytes.TrimSpace(d.Rest())) > 0) && !errors.Is(d.Err(), rawjson.ErrDepth) {
			t.Fatalf("%q is JSON and is not walked to its end: %v", data, d.Err())
		}
		d.Reset(data)
		d.Skip()
		if valid && (d.Err() != nil || len(bytes.TrimSpace(d.Rest())) > 0) && !errors.Is(d.Err(), rawjson.ErrDepth) {
			t.Fatalf("%q is JSON and is not skipped to its end: %v", data, d.Err())
		}
		if text := rawjson.Unquote(data); !utf8.ValidString(text) {
			t.Fatalf("%q gives %q", data, text)
		}
		var want string
		if valid && json.Unmarshal(data, &want) == nil && bytes.HasPrefix(bytes.TrimSpace(data), []byte(`"`)) {
			if got := rawjson.Unquote(data); got != want {
				t.Fatalf("%q means %q, got %q", data, want, got)
			}
			if got := rawjson.Unquote(rawjson.AppendString(nil, want)); got != want {
				t.Fatalf("%q is written and read as %q", want, got)
			}
		}
	})
}

func BenchmarkSkip(b *testing.B) {
	line := []byte(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"` +
		strings.Repeat(`func main() {\n\tfmt.Println(\"hello, world\")\n}\n`, 100) + `"}]},"uuid":"0b1d","n":[1,2,3,null,true]}`)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		d := rawjson.NewDecoder(line)
		if d.Skip(); d.Err() != nil {
			b.Fatal(d.Err())
		}
	}
}
