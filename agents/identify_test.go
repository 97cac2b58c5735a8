package agents_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents"
)

// A session file is taken by the agent that wrote it and by no other.
func TestSessionFilesAreIdentifiedByWhatTheySay(t *testing.T) {
	t.Parallel()
	env := agents.Env{Home: "/home/dev"}
	root := filepath.Join("..", "testdata", "sessions")
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		want, rest, below := strings.Cut(filepath.ToSlash(name), "/")
		if strings.HasSuffix(rest, "-wal") || strings.Contains(rest, "storage/message/") || strings.Contains(rest, "storage/part/") {
			return err
		}
		whole := strings.HasSuffix(rest, ".messages.json") || strings.HasSuffix(rest, "/api_conversation_history.json") ||
			strings.HasSuffix(rest, "/base_state.json") || strings.HasSuffix(rest, "/main/wire.jsonl") || strings.HasSuffix(rest, "/updates.jsonl")
		subagent := !whole && strings.Contains(rest, "/") && !strings.HasPrefix(rest, "storage/") && !strings.HasPrefix(rest, "chats/") && !strings.HasSuffix(rest, "/events.jsonl")
		if err != nil || entry.IsDir() || !below || subagent || strings.HasSuffix(path, ".record.json") || strings.HasSuffix(path, ".tsv") ||
			strings.HasSuffix(path, ".settings.json") {
			return err
		}
		seen[want] = true
		got, found, err := agents.Identify(env, path)
		if err != nil || !found || got.Name != want {
			t.Errorf("%s is taken for one of %q, %v", path, got.Name, err)
		}
		for _, agent := range agents.All(env) {
			if agent.Identifier == nil || agent.Name == want {
				continue
			}
			if head := readHead(t, path); agent.Identifier.Recognises(path, head) {
				t.Errorf("%s is taken by %s too", path, agent.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, agent := range agents.All(env) {
		if agent.Identifier != nil && !seen[agent.Name] {
			t.Errorf("no session of %s was looked at", agent.Name)
		}
	}
	if _, found, err := agents.Identify(env, "identify_test.go"); found || err != nil {
		t.Errorf("this file is a session: %v", err)
	}
	if _, _, err := agents.Identify(env, "no such file"); err == nil {
		t.Error("a file that is not there is identified")
	}
}

func readHead(t *testing.T, path string) []byte {
	t.Helper()
	head, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return head
}
