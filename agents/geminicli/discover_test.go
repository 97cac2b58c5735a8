package geminicli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/geminicli"
	"github.com/git-trace/git-trace/agents/sessionfile"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func head(id string) string {
	return `{"sessionId":"` + id + `","projectHash":"x","kind":"main"}` + "\n"
}

func TestTheSessionsOfADirectoryAreThoseHeldInItOrBelow(t *testing.T) {
	t.Parallel()
	home, moved := t.TempDir(), t.TempDir()
	for root, mark := range map[string]string{home: "home", moved: "moved"} {
		tmp := filepath.Join(root, ".gemini", "tmp")
		write(t, filepath.Join(tmp, "shop", ".project_root"), "/home/dev/shop\n")
		write(t, filepath.Join(tmp, "shop", "chats", "session-1.jsonl"), head(mark+"-lines"))
		write(t, filepath.Join(tmp, "shop", "chats", "session-2.json"), `{"sessionId":"`+mark+`-document","projectHash":"x","messages":[]}`)
		write(t, filepath.Join(tmp, "shop", "chats", mark+"-lines", "agent-a.jsonl"), head("subagent"))
		write(t, filepath.Join(tmp, "shop", "logs", "session-3.jsonl"), head("a log"))
		write(t, filepath.Join(tmp, "cmd", ".project_root"), "/home/dev/shop/cmd")
		write(t, filepath.Join(tmp, "cmd", "chats", "session-4.jsonl"), head(mark+"-below"))
		write(t, filepath.Join(tmp, sessionfile.FullHash("/home/dev/old"), "chats", "session-5.json"), `{"sessionId":"`+mark+`-old","messages":[]}`)
	}
	for _, test := range []struct{ name, dir, home, want string }{
		{"its own and those below", "/home/dev/shop", "", "home-below home-document home-lines"},
		{"a folder named after the hash", "/home/dev/old", "", "home-old"},
		{"nowhere", "/home/dev", "/nowhere", ""},
		{"everything", "", "", "home-below home-document home-lines home-old"},
		{"a home of its own", "/home/dev/shop", moved, "moved-below moved-document moved-lines"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := geminicli.New(capability.Env{Home: home, Getenv: func(key string) string {
				return map[string]string{"GEMINI_CLI_HOME": test.home}[key]
			}})
			found, err := client.Discoverer.ProjectSessions(test.dir, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			if late, err := client.Discoverer.ProjectSessions(test.dir, time.Now().Add(time.Hour)); len(late) > 0 || err != nil {
				t.Errorf("written to in an hour: %+v, %v", late, err)
			}
			ids := map[string]bool{}
			for _, one := range found {
				ids[one.ID] = true
			}
			for _, id := range strings.Fields(test.want) {
				if !ids[id] {
					t.Errorf("%s is missing", id)
				}
			}
			if len(found) != len(strings.Fields(test.want)) {
				t.Errorf("got %+v", found)
			}
		})
	}
}
