package redact

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
)

func TestWhatNamesOfMembersMeanWhereTheyStand(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{Finder: fixed{}, Names: []string{"alice", "carol"}, Rules: parsed(t, "secret hunter[0-9]")})
	for in, want := range map[string]string{
		`"alice"`: `"user"`, `[]`: `[]`, `{}`: `{}`, `[1,"alice",null,true,"carol"]`: `[1,"user",null,true,"user"]`,
		`{"a":"alice","b":2,"c":"carol"}`:                   `{"a":"user","b":2,"c":"user"}`,
		`{"session_id":"alice","alice":"alice"}`:            `{"session_id":"alice","alice":"user"}`,
		`{"session_id":"hunter2"}`:                          `{"session_id":"[REDACTED:own-rule]"}`,
		`{"tools_available":["alice"],"b":["alice"]}`:       `{"tools_available":["alice"],"b":["user"]}`,
		`{"agent":{"version":"alice","name":"alice"}}`:      `{"agent":{"version":"alice","name":"user"}}`,
		`{"input":{"session_id":"alice","alice":1}}`:        `{"input":{"session_id":"user","user":1}}`,
		`{"related":[{"session_id":"alice"}]}`:              `{"related":[{"session_id":"user"}]}`,
		`{"metadata":{"later":{"ids":"alice"}}}`:            `{"metadata":{"later":{"ids":"user"}}}`,
		`{"metadata":{"sources":[{"ids":["alice"]}]}}`:      `{"metadata":{"sources":[{"ids":["alice"]}]}}`,
		`{"metadata":{"sources":[{"ids":"alice"}]}}`:        `{"metadata":{"sources":[{"ids":"alice"}]}}`,
		`{"metadata":{"sources":[{"at":["alice"]}]}}`:       `{"metadata":{"sources":[{"at":["user"]}]}}`,
		`{"metadata":{"sources":[{"at":{"ids":"alice"}}]}}`: `{"metadata":{"sources":[{"at":{"ids":"user"}}]}}`,
		`{"sources":[{"ids":["alice"]}]}`:                   `{"sources":[{"ids":["alice"]}]}`,
		`{"metadata":{"role":"alice"}}`:                     `{"metadata":{"role":"user"}}`,
		`{"metadata":{"password":"Tr0ub4dor9"}}`:            `{"metadata":{"password":"[REDACTED:named-secret]"}}`,
		`{"metadata":{"password":["Tr0ub4dor9"]}}`:          `{"metadata":{"password":["Tr0ub4dor9"]}}`,
		`{"password":"Tr0ub4dor9"}`:                         `{"password":"Tr0ub4dor9"}`,
	} {
		value := json.RawMessage(in)
		if _, err := apply(t.Context(), r, &value); err != nil || string(value) != want {
			t.Errorf("%s became %s, want %s, %v", in, value, want, err)
		}
	}
	value := json.RawMessage(`["alice",{"carol":"alice"}]`)
	if n, err := apply(t.Context(), r, &value); n != 2 || err != nil {
		t.Errorf("%d are counted, %v", n, err)
	}
	value = json.RawMessage(`["nobody"]`)
	if n, err := apply(t.Context(), r, &value); n != 0 || err != nil {
		t.Errorf("where nothing is taken out %d are counted, %v", n, err)
	}
}

// What is written of a step is what its JSON becomes: once a text has changed all are written anew, inputs included.
func TestAStepIsRedactedAsItsJSONIs(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + strings.Repeat("a1B2c3D4e5", 4)[:36]
	for _, text := range []string{"nothing", "token " + secret, "a\xffb", "é \u2028 " + secret, "\ufffd\xc0 " + secret + "\x00\n"} {
		for _, input := range []string{`{}`, `{"b":"\u00e9\/","a":[1.50,{"c":null}]}`, `{"x":"` + secret + `","y":"\u0041"}`} {
			step := records.Step{StepIndex: 1, Role: records.RoleAgent, Content: &text, Model: &text, ToolsAvailable: []string{text},
				ToolCalls:    []records.ToolCall{{ToolCallID: "c", ToolName: "Bash", Input: json.RawMessage(input)}},
				Observations: []records.Observation{{SourceCallID: "c", Content: &text, Error: &text}},
				Snippets:     []records.Snippet{{FilePath: text, Text: &text}}}
			raw, err := records.EncodeStep(&step)
			if err != nil {
				t.Fatal(err)
			}
			r := newRedactor(t, Options{})
			want, taken, err := r.json(t.Context(), raw)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = raw
			}
			got, n, err := redactStep(t.Context(), newRedactor(t, Options{}), &step)
			if err != nil || n != taken || strings.ReplaceAll(string(got), `\u2028`, "\u2028") != string(want) {
				t.Errorf("%q, %s: %v, %d of %d taken\n%s\nwant\n%s", text, input, err, n, taken, got, want)
			}
		}
	}
}
