package qwencode_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/qwencode"
)

func keep(t *testing.T, root, folder, id, cwd string, age int) {
	t.Helper()
	path := filepath.Join(root, "projects", folder, id+".jsonl")
	line := fmt.Sprintf(`{"uuid":"u","sessionId":%q,"type":"user","cwd":%q,"message":{"parts":[]}}`+"\n", id, cwd)
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
	home, moved, runtime := t.TempDir(), t.TempDir(), t.TempDir()
	for root, mark := range map[string]string{filepath.Join(home, ".qwen"): "home", moved: "moved", runtime: "runtime"} {
		keep(t, root, "-home-dev-shop/chats", mark+"-here", "/home/dev/shop", 1)
		keep(t, root, "-home-dev-shop/chats", mark+"-alike", "/home/dev-shop", 2)
		keep(t, root, "-home-dev-shop-cmd/chats", mark+"-below", "/home/dev/shop/cmd", 3)
		keep(t, root, "-home-dev-shop/subagents/x", "agent-a", "/home/dev/shop", 1)
	}
	for _, test := range []struct {
		vars      map[string]string
		dir, want string
	}{
		{nil, "/home/dev/shop", "home-below home-here"},
		{nil, "/home/dev-shop", "home-alike"},
		{nil, "", "home-below home-alike home-here"},
		{map[string]string{"QWEN_HOME": moved}, "/home/dev/shop", "moved-below moved-here"},
		{map[string]string{"QWEN_HOME": moved, "QWEN_RUNTIME_DIR": runtime}, "/home/dev/shop", "runtime-below runtime-here"},
	} {
		client := qwencode.New(capability.Env{Home: home, Getenv: func(key string) string { return test.vars[key] }})
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
		}
		if got := strings.Join(ids, " "); got != test.want {
			t.Errorf("%v, %q: got %q, want %q", test.vars, test.dir, got, test.want)
		}
	}
}
