package copilotcli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/copilotcli"
)

func keep(t *testing.T, root, id, cwd string, age int) {
	t.Helper()
	path := filepath.Join(root, "session-state", id, "events.jsonl")
	line := fmt.Sprintf(`{"type":"session.start","data":{"sessionId":%q,"context":{"cwd":%q}}}`+"\n", id, cwd)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	changed := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC).Add(-time.Duration(age) * time.Hour)
	if err := os.Chtimes(path, changed, changed); err != nil {
		t.Fatal(err)
	}
}

func TestTheSessionsOfADirectoryAreThoseHeldInItOrBelow(t *testing.T) {
	t.Parallel()
	home, moved := t.TempDir(), t.TempDir()
	for root, mark := range map[string]string{filepath.Join(home, ".copilot"): "home", moved: "moved"} {
		keep(t, root, mark+"-here", "/home/dev/shop", 1)
		keep(t, root, mark+"-alike", "/home/dev/shop-2", 2)
		keep(t, root, mark+"-below", "/home/dev/shop/cmd", 3)
	}
	for _, test := range []struct{ home, dir, want string }{
		{"", "/home/dev/shop", "home-below home-here"},
		{"", "/home/dev/shop-2", "home-alike"},
		{"", "", "home-below home-alike home-here"},
		{moved, "/home/dev/shop", "moved-below moved-here"},
	} {
		client := copilotcli.New(capability.Env{Home: home, Getenv: func(key string) string {
			return map[string]string{"COPILOT_HOME": test.home}[key]
		}})
		found, err := client.Discoverer.ProjectSessions(test.dir, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if late, err := client.Discoverer.ProjectSessions(test.dir, time.Now().Add(time.Hour)); len(late) > 0 || err != nil {
			t.Errorf("written to in an hour: %+v, %v", late, err)
		}
		var ids []string
		for _, one := range found {
			ids = append(ids, one.ID)
			if client.Identifier.SessionID(one.Path) != one.ID {
				t.Errorf("%+v", one)
			}
		}
		if got := strings.Join(ids, " "); got != test.want {
			t.Errorf("%q, %q: got %q, want %q", test.home, test.dir, got, test.want)
		}
	}
}
