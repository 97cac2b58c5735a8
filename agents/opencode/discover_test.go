package opencode_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/opencode"
)

func TestTheSessionsOfADirectoryAreInDatabaseAndFolder(t *testing.T) {
	t.Parallel()
	home, data := t.TempDir(), t.TempDir()
	for _, root := range []string{filepath.Join(home, ".local", "share", "opencode"), filepath.Join(data, "opencode")} {
		if err := os.CopyFS(root, os.DirFS(suite().Sessions())); err != nil {
			t.Fatal(err)
		}
		older := filepath.Join(root, "storage", "session", "other", "ses_older.json")
		if err := os.MkdirAll(filepath.Dir(older), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(older, []byte(`{"id":"ses_older","directory":"/home/dev/shop/cmd","version":"0.1"}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(data, "opencode", "opencode.db")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, data, dir, want string }{
		{"the folder's only when the database has none of that id", "", "/home/dev/shop", talk + " ses_older"},
		{"below", "", "/home/dev/shop/cmd", "ses_older"},
		{"nowhere", "", "/home/dev/sho", ""},
		{"everything", "", "", talk + " ses_older"},
		{"elsewhere, without a database", data, "", talk + " ses_older"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := opencode.New(capability.Env{Home: home, Getenv: func(key string) string {
				return map[string]string{"XDG_DATA_HOME": test.data}[key]
			}})
			found, err := client.Discoverer.ProjectSessions(test.dir, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			if late, err := client.Discoverer.ProjectSessions(test.dir, time.Now().Add(time.Hour)); len(late) > 0 || err != nil {
				t.Errorf("written to in an hour: %+v, %v", late, err)
			}
			ids := map[string]string{}
			for _, one := range found {
				ids[one.ID] = one.Path
				if one.Changed.IsZero() || one.Dir == "" {
					t.Errorf("%+v", one)
				}
			}
			for _, id := range strings.Fields(test.want) {
				if ids[id] == "" {
					t.Errorf("%s is missing", id)
				}
			}
			if len(found) != len(strings.Fields(test.want)) {
				t.Errorf("got %+v", found)
			}
			if inDatabase := strings.HasSuffix(ids[talk], ".db"); ids[talk] != "" && inDatabase != (test.data == "") {
				t.Errorf("%s is read from %s", talk, ids[talk])
			}
		})
	}
}
