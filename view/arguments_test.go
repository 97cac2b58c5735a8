package view

import (
	"encoding/json"
	"testing"
)

func TestMainArguments(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]struct {
		text string
		path bool
	}{
		`{"old_string": "x", "file_path": "a.go"}`:                                                     {"a.go", true},
		`{"command": "make", "description": "build"}`:                                                  {"make", false},
		`{"cmd": ["go", "test"]}`:                                                                      {"go test", false},
		`{"input": "*** Begin Patch\n*** Update File: a.go\n-x\n"}`:                                    {"a.go", true},
		`{"patch": "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch"}`:         {"a, b", false},
		`{"command": ["apply_patch", "*** Begin Patch\n*** Delete File: b\n*** End Patch"]}`:           {"b", true},
		`{"command": "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: c\n+x\n*** End Patch\nEOF"}`: {"c", true},
		`{"command": "echo '*** Begin Patch'"}`:                                                        {"echo '*** Begin Patch'", false},
		`{"other": 1}`:                                                                                 {`{"other": 1}`, false},
		`[]`:                                                                                           {"", false},
	} {
		if text, path := MainArgument(json.RawMessage(input)); text != want.text || path != want.path {
			t.Errorf("%s: %q, %t", input, text, path)
		}
	}
}
