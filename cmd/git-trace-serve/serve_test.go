package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// served is a repository with a conversation, and a client of git trace mcp in it.
func served(t *testing.T) *mcp.ClientSession {
	t.Helper()
	bin, dir, home := t.TempDir(), t.TempDir(), t.TempDir()
	run := func(at string, args ...string) {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = at
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	run(".", "go", "build", "-o", bin+string(filepath.Separator), "../git-trace", ".") // before HOME changes, and with it the cache of builds
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("XDG_STATE_HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	tree, err := filepath.Abs("../../records/steering/testdata/worked/.treetrace/tree.json")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(bin, "git-trace")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	run(dir, "git", "init", "-q")
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run(dir, "git", "add", "a.txt")
	run(dir, "git", "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "one")
	run(dir, program, "import", "--format", "treetrace", tree)
	cmd := exec.Command(program, "mcp")
	cmd.Dir = dir
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// An agent asks by the protocol and gets what the commands print; what is wrong is told, and no argument is taken for
// an option.
func TestAgentsAreServed(t *testing.T) {
	session := served(t)
	ctx := context.Background()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.Annotations == nil || !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s does not say that it only reads", tool.Name)
		}
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "blame handoff lessons search show why" {
		t.Errorf("%s", got)
	}
	for _, test := range []struct {
		tool string
		args map[string]any
		want string
		bad  bool
	}{
		{"lessons", nil, "Keep to “no web app”", false},
		{"handoff", map[string]any{"scope": ""}, "## Original goal", false},
		{"search", map[string]any{"text": "TypeScript"}, "git-trace.search/1", false},
		{"blame", map[string]any{"path": "a.txt", "first": 1, "last": 1}, "git-trace.blame/1", false},
		{"why", map[string]any{"path": "a.txt", "line": 1}, "nobody saw who wrote", true},
		{"blame", map[string]any{"path": "--contents=/etc/passwd"}, "no such path", true},
		{"blame", map[string]any{"path": "a.txt", "revision": "--output=x"}, "begins like an option", true},
		{"lessons", map[string]any{"scope": "--redact-auto"}, "begins like an option", true},
		{"show", map[string]any{"id": "nothing"}, "nothing", true},
	} {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: test.tool, Arguments: test.args})
		if err != nil {
			t.Errorf("%s %v: %v", test.tool, test.args, err)
			continue
		}
		text := result.Content[0].(*mcp.TextContent).Text
		if result.IsError != test.bad || !strings.Contains(text, test.want) {
			t.Errorf("%s %v: error %v: %s", test.tool, test.args, result.IsError, text)
		}
	}
}
