package sessioncopy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/sessioncopy"
)

// copied is what becomes of a session file whose conversation moves from /w/r to /w/n.
func copied(t *testing.T, content string, until int64) (string, error) {
	t.Helper()
	dir := t.TempDir()
	from := filepath.Join(dir, "from.jsonl")
	if err := os.WriteFile(from, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "new", "to.jsonl")
	err := sessioncopy.Write(to, capability.Beginning{Path: from, Until: until, Dirs: []string{"/w/r"}, Dir: "/w/n"}, sessioncopy.Form{
		Members: func([]byte) []sessioncopy.Member {
			return []sessioncopy.Member{{Name: "id", Value: []byte(`"new"`)}}
		},
	})
	raw, _ := os.ReadFile(to)
	if left, _ := filepath.Glob(filepath.Join(dir, "new", ".git-trace-*")); len(left) > 0 {
		t.Errorf("%v is left behind", left)
	}
	return string(raw), err
}

func TestACopyNamesTheNewDirectory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ line, want string }{
		"a path":                    {`{"p":"/w/r/a.go"}`, `{"p":"/w/n/a.go","id":"new"}`},
		"the directory":             {`{"p":"/w/r"}`, `{"p":"/w/n","id":"new"}`},
		"a sentence":                {`{"p":"it is in /w/r. Or not."}`, `{"p":"it is in /w/n. Or not.","id":"new"}`},
		"a longer name":             {`{"p":"/w/r2 /w/r-x /w/r.git /x/w/r/"}`, `{"p":"/w/r2 /w/r-x /w/r.git /x/w/r/","id":"new"}`},
		"a URI":                     {`{"p":"file:///w/r/a"}`, `{"p":"file:///w/n/a","id":"new"}`},
		"JSON in a text":            {`{"p":"{\"f\":\"/w/r/a\"}"}`, `{"p":"{\"f\":\"/w/n/a\"}","id":"new"}`},
		"a member that is replaced": {`{"id":"/w/r","n":1.50,"l":[null,true,{"k":"/w/r"}]}`, `{"id":"new","n":1.50,"l":[null,true,{"k":"/w/n"}]}`},
		"what is signed":            {`{"m":[{"thinking":"in /w/r","signature":"x"},{"text":"/w/r"}]}`, `{"m":[{"thinking":"in /w/r","signature":"x"},{"text":"/w/n"}],"id":"new"}`},
	} {
		got, err := copied(t, c.line+"\n", 1<<20)
		if err != nil || got != c.want+"\n" {
			t.Errorf("%s: %q (%v), want %q", name, got, err, c.want)
		}
	}
}

func TestACopyEndsAtTheStep(t *testing.T) {
	t.Parallel()
	first := `{"n":1}` + "\n"
	got, err := copied(t, first+`{"n":2}`+"\n", int64(len(first)))
	if err != nil || got != `{"n":1,"id":"new"}`+"\n" {
		t.Errorf("%q: %v", got, err)
	}
	if got, err := copied(t, first+`{"n":2`, 1<<20); err != nil || strings.Count(got, "\n") != 1 {
		t.Errorf("of a torn line: %q: %v", got, err)
	}
	if _, err := copied(t, first, 0); !errors.Is(err, sessioncopy.ErrEmpty) {
		t.Errorf("of nothing: %v", err)
	}
}

func TestACopyReplacesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	for path, text := range map[string]string{from: "{}\n", to: "kept"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := sessioncopy.Write(to, capability.Beginning{Path: from, Until: 9}, sessioncopy.Form{})
	if raw, _ := os.ReadFile(to); err == nil || string(raw) != "kept" {
		t.Errorf("%q: %v", raw, err)
	}
}

func TestIDsAreNew(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	one, two := sessioncopy.NewID(at), sessioncopy.NewID(at.Add(time.Second))
	if one >= two || one[14] != '7' || len(one) != 36 {
		t.Errorf("%s is not before %s", one, two)
	}
	if four := sessioncopy.NewID(time.Time{}); four[14] != '4' || four == sessioncopy.NewID(time.Time{}) {
		t.Errorf("%s is no random id", four)
	}
}

func FuzzACopyIsLinesOfObjects(f *testing.F) {
	f.Add([]byte(`{"a":{"signature":1},"b":"/w/r"}`+"\n{}\n"), int64(40))
	f.Add([]byte(`{"a":[[["/w/r/w/r"]]]} {"b":1}x`), int64(9))
	f.Fuzz(func(t *testing.T, content []byte, until int64) {
		got, err := copied(t, string(content), until)
		if err != nil {
			return
		}
		for line := range bytes.Lines([]byte(got)) {
			if !json.Valid(line) || line[0] != '{' {
				t.Errorf("%q is not an object", line)
			}
		}
	})
}
