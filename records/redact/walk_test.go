package redact

import (
	"encoding/json"
	"testing"
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
