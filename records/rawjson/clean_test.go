package rawjson_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/git-trace/git-trace/records/rawjson"
)

func TestCleanTextIsStrictJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{ "b" : 1.50 , "a":[ true,null ,"x\u00e9\/"] }`: `{"b":1.50,"a":[true,null,"x\u00e9\/"]}`,
		"\"a\tb\"":                  `"a\tb"`,
		`"a\qb"`:                    `"aqb"`,
		`"\u12"`:                    `"�12"`,
		"\"\xff\"":                  `"�"`,
		"{\"k\x01\":{},\"e\":[[]]}": `{"k\u0001":{},"e":[[]]}`,
	} {
		got, err := rawjson.AppendClean(nil, []byte(text))
		if err != nil || string(got) != want || !json.Valid(got) {
			t.Errorf("%q becomes %s, %v; want %s", text, got, err, want)
		}
	}
	if _, err := rawjson.AppendClean(nil, []byte(`{"a":1`)); !errors.Is(err, rawjson.ErrTruncated) {
		t.Errorf("got %v", err)
	}
}

// What is written is strict, and means what was read.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{`{"a":["\u00e9\q",1e5]}`, "\"\x00\"", `"\ud800"`, "{\"\xff\":\"\\u\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		clean, err := rawjson.AppendClean(nil, data)
		if err != nil {
			if json.Valid(data) && !errors.Is(err, rawjson.ErrDepth) {
				t.Fatalf("%q is JSON: %v", data, err)
			}
			return
		}
		if !json.Valid(clean) {
			t.Fatalf("%q becomes %q", data, clean)
		}
		before, errBefore := rawjson.AppendCanonical(nil, data)
		after, errAfter := rawjson.AppendCanonical(nil, clean)
		if errBefore != nil || errAfter != nil || string(before) != string(after) {
			t.Fatalf("%q means %s, %q means %s", data, before, clean, after)
		}
	})
}
