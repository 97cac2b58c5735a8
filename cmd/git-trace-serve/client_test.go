package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

// tooled is a repository of git trace demo, for a client that finds git-trace.
type tooled struct {
	repo *driver.Repo
	bin  string // the directory of the programs
	dir  string // of the repository
}

func newTooled(t *testing.T, client string) *tooled {
	t.Helper()
	driver.Need(t, client)
	clients, err := driver.Root()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GITTRACE_AGENTS", clients) // before the home directory changes
	program, _ := built(t)
	r := &tooled{repo: driver.NewRepo(t), bin: filepath.Dir(program)}
	cmd := exec.Command(program, "demo", "--keep")
	cmd.Env = r.repo.Env(r.bin)
	out, err := cmd.CombinedOutput()
	at := regexp.MustCompile(`(?m)^the repository is in (.+)$`).FindSubmatch(out)
	if err != nil || at == nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r.dir = string(at[1])
	return r
}

// asks has the client call tools one after the other, and gives what the model was told at the end.
func (r *tooled) asks(t *testing.T, client string, args []string, tools ...driver.Tool) []byte {
	t.Helper()
	var turns []driver.Turn
	for _, tool := range tools {
		turns = append(turns, driver.Turn{Tools: []driver.Tool{tool}})
	}
	script := driver.Main(append(turns, driver.Turn{Text: "answered"})...)
	res := driver.Run(t, client, r.repo, script, driver.Options{Dir: r.dir, Args: args, Path: []string{r.bin}})
	return res.Requests[len(res.Requests)-1].Body
}

// A client with no other tools answers three questions by the tools of git trace mcp: who wrote a line and for what;
// what else was asked in that conversation; what a commit brought, and by whom. A question takes its ids from the
// answers before it.
func TestAClientAnswersByTheToolsAlone(t *testing.T) {
	r := newTooled(t, "claude")
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"git-trace": map[string]any{"command": "git-trace", "args": []string{"mcp"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	last := r.asks(t, "claude", []string{
		"--mcp-config", string(config), "--strict-mcp-config", "--tools", "ListMcpResourcesTool,ReadMcpResourceTool",
		"--allowedTools", "mcp__git-trace,ListMcpResourcesTool,ReadMcpResourceTool",
	},
		driver.Tool{Name: "mcp__git-trace__why", Input: map[string]any{"path": "server.go", "line": 11}},
		driver.Tool{Name: "mcp__git-trace__show", Input: map[string]any{"id": `@{re:asked in\s+([0-9a-f]+)#1}@`}},
		driver.Tool{Name: "mcp__git-trace__diff", Input: map[string]any{
			"revisions": `@{re:commit\s+([0-9a-f]+) server: safe close}@~1 @{re:commit\s+([0-9a-f]+) server: safe close}@`,
		}},
		driver.Tool{Name: "ReadMcpResourceTool", Input: map[string]any{"server": "git-trace",
			"uri": `git-trace://conversation/@{re:asked in\s+([0-9a-f]+)#1}@%232`}},
	)
	for _, want := range []string{
		"Close may be called twice, and from any goroutine. A mutex would", // thought
		"I'll keep a flag in the server",                                   // answered
		"add a test for it",                                                // asked second
		"claude-code c86c#1  6",                                            // the diff
		"TestCloseTwice",                                                   // the resource
	} {
		if !bytes.Contains(last, []byte(want)) {
			t.Errorf("%q is not in what the model was told:\n%s", want, last)
		}
	}
}

// plugin is the folder of the plugin for Claude Code.
const plugin = "../../packaging/claude-code-plugin"

// The plugin has the hooks that init writes for a project, and its skill.
func TestThePluginHasWhatInitInstalls(t *testing.T) {
	program, dir := demo(t)
	cmd := exec.Command(program, "init", "--agent", "claude-code", "--project-settings")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+filepath.Dir(program)+":/usr/bin:/bin") // no client tells its version
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for file, name := range map[string]string{
		"settings.json": "hooks/hooks.json", "skills/git-trace/SKILL.md": "skills/git-trace/SKILL.md",
	} {
		installed, err := os.ReadFile(filepath.Join(dir, ".claude", file))
		if err != nil {
			t.Fatal(err)
		}
		installed, _, _ = bytes.Cut(installed, []byte("\n<!-- Written by"))
		if shipped, err := os.ReadFile(filepath.Join(plugin, name)); err != nil || !bytes.Equal(shipped, installed) {
			t.Errorf("%s is not what init writes: %v", name, err)
		}
	}
}

// Claude Code takes the plugin: its skill, its tools, and its hooks, whose calls count once where init's are there too.
func TestClaudeCodeTakesThePlugin(t *testing.T) {
	r := newTooled(t, "claude")
	folder, err := filepath.Abs(plugin)
	if err != nil {
		t.Fatal(err)
	}
	run := func(program string, args ...string) string {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = r.dir, r.repo.Env(r.bin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	program := filepath.Join(r.bin, "git-trace")
	run(driver.Need(t, "claude"), "plugin", "validate", "--strict", folder)
	for n, scope := range []string{"", "--global"} {
		if scope != "" {
			run(program, "init", "--agent", "claude-code", scope)
		}
		name := fmt.Sprintf("new%d.txt", n)
		last := r.asks(t, "claude", []string{"--plugin-dir", folder, "--allowedTools",
			"Edit,Write,Skill,mcp__plugin_git-trace_git-trace"},
			driver.Tool{Name: "Skill", Input: map[string]any{"skill": "git-trace:git-trace"}},
			driver.Tool{Name: "mcp__plugin_git-trace_git-trace__why", Input: map[string]any{"path": "server.go", "line": 11}},
			driver.Tool{Name: "Write", Input: map[string]any{"file_path": filepath.Join(r.dir, name), "content": "by the agent\n"}},
		)
		for _, want := range []string{"Ask before you change a line", "A mutex would"} {
			if !bytes.Contains(last, []byte(want)) {
				t.Errorf("%q is not in what the model was told:\n%s", want, last)
			}
		}
		if blame := run(program, "blame", "--json", name); !strings.Contains(blame, `"agent":"claude-code"`) {
			t.Errorf("nobody wrote %s: %s", name, blame)
		}
		opened := 0
		for line := range strings.Lines(run(program, "events", "--json")) {
			if strings.Contains(line, `"window_opened"`) && strings.Contains(line, "_t2_0_") &&
				strings.Contains(line, `"Write"`) {
				opened++
			}
		}
		if opened != n+1 {
			t.Errorf("%d windows of %d calls", opened, n+1)
		}
	}
}
