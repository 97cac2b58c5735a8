package pi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/pi"
)

// keep writes a session that began in a directory.
func keep(t *testing.T, root, folder, id, cwd string, age int) {
	t.Helper()
	path := filepath.Join(root, folder, "2026-03-02T09-00-00-000Z_"+id+".jsonl")
	line := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-03-02T09:00:00.000Z","cwd":%q}`+"\n", id, cwd)
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
	home, agent, apart := t.TempDir(), t.TempDir(), t.TempDir()
	for root, mark := range map[string]string{
		filepath.Join(home, ".pi", "agent", "sessions"): "home", filepath.Join(agent, "sessions"): "agent", apart: "apart",
	} {
		keep(t, root, "--home-dev-shop--", mark+"-here", "/home/dev/shop", 1)
		keep(t, root, "--home-dev-shop--", mark+"-alike", "/home/dev-shop", 2)
		keep(t, root, "--home-dev-shop-cmd--", mark+"-below", "/home/dev/shop/cmd", 3)
	}
	for _, test := range []struct {
		name string
		vars map[string]string
		dir  string
		want string
	}{
		{"its own and those below", nil, "/home/dev/shop", "home-below home-here"},
		{"two directories can share a folder", nil, "/home/dev-shop", "home-alike"},
		{"everything", nil, "", "home-below home-alike home-here"},
		{"nowhere", nil, "/home/dev/sh", ""},
		{"the agent's directory is elsewhere", map[string]string{"PI_CODING_AGENT_DIR": agent}, "/home/dev/shop", "agent-below agent-here"},
		{"its sessions are elsewhere", map[string]string{"PI_CODING_AGENT_SESSION_DIR": apart}, "/home/dev/shop", "apart-below apart-here"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := pi.New(capability.Env{Home: home, Getenv: func(key string) string { return test.vars[key] }})
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
				if client.Identifier.SessionID(one.Path) != one.ID || one.Dir == "" || one.Changed.IsZero() {
					t.Errorf("%+v", one)
				}
			}
			if got := strings.Join(ids, " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
