package events

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestPaths(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ path, stored string }{
		"plain":                           {"cmd/main.go", "cmd/main.go"},
		"empty":                           {"", ""},
		"spaces and letters beyond ASCII": {"Ä b/日本.go", "Ä b/日本.go"},
		"a backslash alone":               {`a\b`, `a\b`},
		"a quote inside":                  {`a"b`, `a"b`},
		"a quote in front":                {`"a`, `"\"a"`},
		"a line feed":                     {"a\nb", `"a\nb"`},
		"a tab and a backslash":           {"\t\\", `"\t\\"`},
		"escape sequences of a terminal":  {"\x1b[31m", `"\033[31m"`},
		"delete":                          {"a\x7f", `"a\177"`},
		"a C1 control character":          {"a\u009b", `"a\302\233"`},
		"Latin-1":                         {"caf\xe9", `"caf\351"`},
		"Latin-1 among UTF-8":             {"é\xe9", `"\303\251\351"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := EncodePath(test.path); got != test.stored {
				t.Errorf("encoded %q, want %q", got, test.stored)
			}
			got, err := DecodePath(test.stored)
			if err != nil || got != test.path {
				t.Errorf("decoded %q, %v; want %q", got, err, test.path)
			}
		})
	}
}

func TestDecodePathRefusesOtherSpellings(t *testing.T) {
	t.Parallel()
	for _, stored := range []string{`"`, `"a`, `"a"`, `"\141\n"`, `"\x"`, `"\"`, `"\4"`, `"\400"`, `"\08"`, "a\nb", "\xff", `"` + "\xff" + `"`} {
		if got, err := DecodePath(stored); err == nil {
			t.Errorf("%q decodes to %q", stored, got)
		}
	}
}

// TestPathsAreQuotedAsGitDoes compares with what git itself prints.
func TestPathsAreQuotedAsGitDoes(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	var all strings.Builder
	for c := 1; c < 256; c++ {
		if c != '/' {
			all.WriteByte(byte(c))
		}
	}
	blob := strings.TrimSpace(runGit(t, repo.WorkTree, "hash-object", "-w", "/dev/null"))
	runGit(t, repo.WorkTree, "update-index", "--add", "--cacheinfo", "100644,"+blob+","+all.String())
	if got, want := EncodePath(all.String()), strings.TrimSuffix(runGit(t, repo.WorkTree, "ls-files"), "\n"); got != want {
		t.Errorf("got  %s\ngit  %s", got, want)
	}
}

func FuzzPaths(f *testing.F) {
	for _, seed := range []string{"a", `"`, `"a"`, "\x00\xff\n", "é\u0085", `\`, `"\303\251"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		stored := EncodePath(text)
		if back, err := DecodePath(stored); err != nil || back != text {
			t.Fatalf("%q is stored as %q and read as %q, %v", text, stored, back, err)
		}
		if _, err := Encode(stored); err != nil {
			t.Fatalf("%q is stored as %q: %v", text, stored, err)
		}
		if path, err := DecodePath(text); err == nil && EncodePath(path) != text {
			t.Fatalf("%q decodes to %q, which is stored otherwise", text, path)
		}
		var back string
		quoted, _ := json.Marshal(stored)
		if err := json.Unmarshal(quoted, &back); err != nil || back != stored {
			t.Fatalf("%q does not survive JSON", stored)
		}
	})
}
