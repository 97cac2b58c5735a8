package rawjson_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records/rawjson"
)

func TestCanonicalFormIsPythons(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "vectors", "python-json.json"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Cases []struct{ JSON, Canonical string }
	}
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Cases) < 40 {
		t.Fatalf("only %d vectors", len(vectors.Cases))
	}
	for _, c := range vectors.Cases {
		got, err := rawjson.AppendCanonical(nil, []byte(c.JSON))
		if err != nil || string(got) != c.Canonical {
			t.Errorf("%s gives %s, %v; Python gives %s", c.JSON, got, err, c.Canonical)
		}
	}
}

// Strings are copied where they are in the form already, and nowhere else.
func TestStringsAreWrittenInOneForm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"a\n\t\r\b\f\"\\ ~"`: `"a\n\t\r\b\f\"\\ ~"`, `"\/"`: `"/"`, `"\u0041\u000a"`: `"A\n"`, `"\u00E9"`: `"\u00e9"`,
		`"é"`: `"\u00e9"`, "\"\x7f\"": `"\u007f"`, `""`: `""`, `{"b\/":"\u002f","a":"x"}`: `{"a": "x", "b/": "/"}`,
	} {
		if got, err := rawjson.AppendCanonical([]byte("<"), []byte(text)); err != nil || string(got) != "<"+want {
			t.Errorf("%s gives %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestCanonicalFormOfABrokenTextIsAnError(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", "{} {}", `{"a"}`, "nul", `{"a":1}x`} {
		if got, err := rawjson.AppendCanonical(nil, []byte(text)); err == nil {
			t.Errorf("%q gives %s", text, got)
		}
	}
}

func TestFloatsAreWrittenAsPythonWritesThem(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]float64{
		"0.0": 0, "-0.0": math.Copysign(0, -1), "7.322": 7.322, "1e+16": 1e16, "1e-05": 1e-5, "0.0001": 1e-4,
		"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1), "1e+100": 1e100, "123456.0": 123456,
	} {
		if got := string(rawjson.AppendFloat(nil, f)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// The canonical form of a text says the same as the text, and is its own canonical form.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":[1,2.50,"é\n"],"a":null}`, `"\ud800"`, `{"a":1,"a":{}}`, `-0.0e-7`, `[1e16,1E5]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		form, err := rawjson.AppendCanonical(nil, data)
		if err != nil {
			if json.Valid(data) && !strings.Contains(err.Error(), rawjson.ErrDepth.Error()) {
				t.Fatalf("%q is JSON: %v", data, err)
			}
			return
		}
		again, err := rawjson.AppendCanonical(nil, form)
		if s := string(form); err != nil && !strings.Contains(s, "NaN") && !strings.Contains(s, "Infinity") {
			t.Fatalf("%q: %v", form, err)
		}
		if err == nil && string(again) != string(form) {
			t.Fatalf("%q becomes %q", form, again)
		}
		var before, after any
		if json.Unmarshal(data, &before) != nil || json.Unmarshal(form, &after) != nil {
			return
		}
		a, _ := json.Marshal(before)
		b, _ := json.Marshal(after)
		if string(a) != string(b) && !strings.ContainsAny(string(data), ".eE-") {
			t.Fatalf("%s means %s, its canonical form %s", data, a, b)
		}
	})
}
