package claudecode_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/claudecode"
)

// keep writes a session that began in a directory into a folder of the client.
func keep(t *testing.T, config, folder, id, cwd string, age time.Duration) {
	t.Helper()
	path := filepath.Join(config, "projects", folder, id+".jsonl")
	line := fmt.Sprintf(`{"type":"summary","leafUuid":"x"}`+"\n"+`{"type":"user","uuid":"u","sessionId":%q,"cwd":%q}`+"\n", id, cwd)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, now.Add(-age)); err != nil {
		t.Fatal(err)
	}
}

func TestTheSessionsOfADirectoryAreThoseHeldInItOrBelow(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	config := filepath.Join(home, ".claude")
	keep(t, config, "-home-dev-my-app", "here", "/home/dev/my-app", time.Hour)
	keep(t, config, "-home-dev-my-app", "elsewhere", "/home/dev/my/app", time.Hour) // both directories have this folder
	keep(t, config, "-home-dev-my-app-cmd", "below", "/home/dev/my-app/cmd", 3*time.Hour)
	keep(t, config, "-home-dev-my-app-2", "beside", "/home/dev/my-app-2", time.Hour)
	keep(t, config, "-home-dev-my-app", "agent-0123abcd", "/home/dev/my-app", time.Hour) // a subagent of another session
	keep(t, config, "-srv-other", "other", "/srv/other", 2*time.Hour)
	client := claudecode.New(capability.Env{Home: home})
	for _, test := range []struct{ dir, want string }{
		{"/home/dev/my-app", "below here"},
		{"/home/dev/my-app/cmd", "below"},
		{"/home/dev/my/app", "elsewhere"},
		{"/home/dev/my", "elsewhere"},
		{"/nowhere", ""},
		{"", "below other beside elsewhere here"},
	} {
		sessions, err := client.Discoverer.ProjectSessions(test.dir, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if late, err := client.Discoverer.ProjectSessions(test.dir, time.Now().Add(time.Hour)); len(late) > 0 || err != nil {
			t.Errorf("written to in an hour: %+v, %v", late, err)
		}
		var ids []string
		for _, s := range sessions {
			ids = append(ids, s.ID)
			if s.Dir == "" || s.Changed.IsZero() || client.Identifier.SessionID(s.Path) != s.ID {
				t.Errorf("%q: %+v", test.dir, s)
			}
		}
		if got := strings.Join(ids, " "); got != test.want {
			t.Errorf("%q: got %q, want %q", test.dir, got, test.want)
		}
	}
}

func TestTheClientsOwnVariableMovesItsSessions(t *testing.T) {
	t.Parallel()
	home, config := t.TempDir(), t.TempDir()
	keep(t, config, "-srv-shop", "moved", "/srv/shop", time.Hour)
	client := claudecode.New(capability.Env{Home: home, Getenv: func(key string) string {
		return map[string]string{"CLAUDE_CONFIG_DIR": config}[key]
	}})
	if got, err := client.Discoverer.ProjectSessions("/srv/shop", time.Time{}); err != nil || len(got) != 1 || got[0].ID != "moved" {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := claudecode.New(capability.Env{Home: home}).Discoverer.ProjectSessions("/srv/shop", time.Time{}); err != nil || len(got) != 0 {
		t.Errorf("an agent that was never used has %v, %v", got, err)
	}
}

func TestADirectoryBehindALinkIsFoundByItsRealName(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	real, link := filepath.Join(home, "real"), filepath.Join(home, "link")
	if err := os.Mkdir(real, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no symbolic links here")
	}
	if resolved, err := filepath.EvalSymlinks(real); err == nil {
		real = resolved
	}
	folder := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z' {
			return '-'
		}
		return r
	}, real)
	keep(t, filepath.Join(home, ".claude"), folder, "linked", real, time.Hour)
	got, err := claudecode.New(capability.Env{Home: home}).Discoverer.ProjectSessions(link, time.Time{})
	if err != nil || len(got) != 1 || got[0].Dir != real {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestItsOwnSessionFilesAreRecognised(t *testing.T) {
	t.Parallel()
	identifier := claudecode.New(environment(nil)).Identifier
	for _, path := range sessionFiles(t) {
		head, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !identifier.Recognises(path, head) {
			t.Errorf("%s is not recognised", path)
		}
	}
	for _, head := range []string{"", "{}", "[]", `{"type":"session_meta","payload":{"id":"x"}}`, `{"sessionId":"x","projectHash":"y"}`, "text"} {
		if identifier.Recognises("session.jsonl", []byte(head)) {
			t.Errorf("%s is taken for a session", head)
		}
	}
}
