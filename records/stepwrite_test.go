package records_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/git-trace/git-trace/records"
)

// written is a step as encoding/json writes it.
func written(t *testing.T, s *records.Step) string {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}

// filled sets every member of a value, texts to one that holds the name of the member.
func filled(v reflect.Value, name, text string) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem(), name, text)
	case reflect.Struct:
		for i := range v.NumField() {
			filled(v.Field(i), v.Type().Field(i).Name, text)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{ "b" : [1, "\u2028é` + "\u2028" + `"], "a": {} }`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		filled(v.Index(0), name, text)
		filled(v.Index(1), name, text)
	case reflect.String:
		v.SetString(name + text)
	default:
		v.SetInt(int64(len(name)))
	}
}

// oddTexts are what JSON writes in some other way.
var oddTexts = []string{"", "plain", "\x00\x01\x1f\x7f\b\f\n\r\t", `"\/<>&`, "é€😀\u0080", "\u2028 \u2029", "\ufffd", "\xff\xc0a\xe2\x80",
	"long enough for eight bytes at once", "eight by\ntes, and \"more\" behind \\ them é"}

// No member of a step is left out, and each is written as encoding/json writes it.
func TestAStepIsWrittenAsEncodingJSONWritesIt(t *testing.T) {
	t.Parallel()
	for _, text := range oddTexts {
		var s records.Step
		filled(reflect.ValueOf(&s).Elem(), "", text)
		want := written(t, &s)
		if got, err := records.EncodeStep(&s); err != nil || string(got) != want {
			t.Errorf("%q: %v\n%s\nwant\n%s", text, err, got, want)
		}
	}
	s := records.Step{}
	got, err := records.EncodeStep(&s)
	if want := written(t, &s); err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	s.ToolCalls = []records.ToolCall{{Input: json.RawMessage(`{"a":`)}}
	if got, err := records.EncodeStep(&s); err == nil {
		t.Errorf("an input that is no JSON is written: %s", got)
	}
}

// A step that was read is written as encoding/json writes it.
func FuzzStep(f *testing.F) {
	for _, text := range oddTexts {
		f.Add(text, []byte(`{"content":"x","tool_calls":[{"input":{"a":[1.50, "é"]}}],"observations":[{"error":null}]}`))
	}
	f.Fuzz(func(t *testing.T, text string, raw []byte) {
		var s records.Step
		if json.Unmarshal(raw, &s) != nil {
			return
		}
		s.ReasoningContent = &text
		got, err := records.EncodeStep(&s)
		if want := written(t, &s); err != nil || string(got) != want {
			t.Fatalf("%v\n%s\nwant\n%s", err, got, want)
		}
	})
}
