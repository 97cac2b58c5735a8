package jsonl_test

import (
	"errors"
	"testing"

	"github.com/git-trace/git-trace/records/jsonl"
)

func TestAValueOfAnotherKindIsNamedByItsMember(t *testing.T) {
	t.Parallel()
	var into struct {
		Files []struct {
			Path string `json:"path"`
		} `json:"files"`
	}
	for text, want := range map[string]string{
		`{"files":[{"path":7}]}`: "wrong kind of value: files.path: a JSON number",
		`[]`:                     "wrong kind of value: the whole: a JSON array",
	} {
		if err := jsonl.Decode([]byte(text), &into); !errors.Is(err, jsonl.ErrKind) || err.Error() != want {
			t.Errorf("%s gives %v, want %s", text, err, want)
		}
	}
	if err := jsonl.Decode([]byte(`{"files":[{"path":"a"}]}`), &into); err != nil || into.Files[0].Path != "a" {
		t.Errorf("got %+v, %v", into, err)
	}
}
