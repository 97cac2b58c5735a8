package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/internal/testing/driver"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/view"
)

// buildOnce makes a directory with a git-trace that has no other program beside it, and returns the path of that program.
var buildOnce = sync.OnceValues(func() (string, error) {
	path := filepath.Join(ownDir, "alone", "git-trace")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	return path, os.Link(filepath.Join(realPrograms, "git-trace"), path)
})

// building builds a program of that name when it is first asked for, and returns its path.
func building(name string, args ...string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		path := filepath.Join(ownDir, "bin", name)
		args = append([]string{"build", "-ldflags=-w", "-o", path}, args...)
		if out, err := exec.CommandContext(context.Background(), "go", args...).CombinedOutput(); err != nil {
			return "", &buildError{name, string(out)}
		}
		return path, nil
	})
}

type buildError struct{ name, out string }

func (e *buildError) Error() string { return "build " + e.name + ": " + e.out }

// traced is a repository in which git-trace records, and the binary that does it.
type traced struct {
	*driver.Repo
	t      *testing.T
	client string // that works in it, as package driver names it
	binary string
	path   []string // that the person has beside it, to find programs
}

// newTraced is `git trace init` with these options in a new repository, for a client that is installed.
func newTraced(t *testing.T, client string, options ...string) *traced {
	t.Helper()
	if client != "claude" && client != "codex" && os.Getenv("GITTRACE_LONG") == "" {
		t.Skip("GITTRACE_LONG=1 runs it: the client takes a while to start")
	}
	driver.Need(t, client)
	binary, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	r := &traced{Repo: driver.NewRepo(t), t: t, client: client, binary: binary}
	r.trace(append([]string{"init"}, options...)...)
	return r
}

// trace runs git-trace as the person does.
func (r *traced) trace(args ...string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), r.binary, args...)
	cmd.Dir, cmd.Env = r.Dir, r.Env(append([]string{filepath.Dir(r.binary)}, r.path...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git-trace %s: %v: %s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

// blamed is one line of `blame --json`, as far as these tests look at it.
type blamed struct {
	Content     string  `json:"content"`
	Commit      *string `json:"commit"`
	Contributor string  `json:"contributor"`
	Older       bool    `json:"older"`
	Agent       string  `json:"agent"`
	Model       string  `json:"model"`
	Session     string  `json:"session"`
	Subagent    string  `json:"subagent"`
	ToolCall    string  `json:"tool_call"`
	Confidence  string  `json:"confidence"`
	Prompt      *struct {
		Index int    `json:"index"`
		Text  string `json:"text"`
	} `json:"prompt"`
}

// owner is who wrote the line: the tool call's readable part for an agent's line, else human or unknown.
func (l blamed) owner() string {
	if l.Contributor != "ai" {
		return l.Contributor
	}
	if l.ToolCall == "" {
		return "ai"
	}
	if paired, found := strings.CutPrefix(l.ToolCall, "paired-"); found { // the number of a call that its agent gave no id
		return "call " + paired[strings.LastIndexByte(paired, '-')+1:]
	}
	parts := strings.Split(l.ToolCall, "_")
	return strings.Join(parts[1:len(parts)-1], "_")
}

func (r *traced) blame(file string) []blamed {
	r.t.Helper()
	var out struct{ Lines []blamed }
	if err := json.Unmarshal([]byte(r.trace("blame", "--json", file)), &out); err != nil {
		r.t.Fatalf("blame %s: %v", file, err)
	}
	for i := range out.Lines { // a record names its maker, too; hooks alone do not
		out.Lines[i].Model = view.ModelName(out.Lines[i].Model)
	}
	return out.Lines
}

// want compares the owners of a file with "owner | content" lines.
func (r *traced) want(file string, lines ...string) {
	r.t.Helper()
	var got []string
	for _, l := range r.blame(file) {
		got = append(got, l.owner()+" | "+l.Content)
	}
	if strings.Join(got, "\n") != strings.Join(lines, "\n") {
		r.t.Errorf("%s:\n%s\nwant:\n%s", file, strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

// subagentOf is the sub-agent that wrote a line, "" for the main agent. The line is the session's, and of no other
// model than the one that is named: some clients write down behind the call which one it is, and then it is unknown.
func (r *traced) subagentOf(res *driver.Result, file, content, model string) string {
	r.t.Helper()
	for _, l := range r.blame(file) {
		if l.Content != content {
			continue
		}
		if l.Contributor != "ai" || l.Session != res.Session || l.Prompt == nil || l.Prompt.Index != 1 || l.Model != "" &&
			view.ModelName(assemble.Model(l.Model)) != view.ModelName(assemble.Model(model)) { // once a record is there, as it has it
			r.t.Errorf("%s: line %q is %+v with prompt %+v of session %s", file, content, l, l.Prompt, res.Session)
		}
		return l.Subagent
	}
	r.t.Errorf("%s has no line %q", file, content)
	return ""
}

// announced holds that the log names the session of each sub-agent when it begins.
func (r *traced) announced(res *driver.Result, subagents ...string) {
	r.t.Helper()
	type event struct {
		Session, Subagent string
		Data              struct{ Source string }
	}
	var begun []string
	for line := range strings.Lines(r.trace("events", "--json", "--type", "session_started")) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			r.t.Fatal(err)
		}
		if e.Session != res.Session {
			r.t.Errorf("a session that is none began: %+v", e)
		}
		if e.Data.Source == "subagent" {
			begun = append(begun, e.Subagent)
		}
	}
	slices.Sort(begun)
	slices.Sort(subagents)
	if !slices.Equal(begun, subagents) {
		r.t.Errorf("sub-agents that began: %q, want %q", begun, subagents)
	}
}

func (r *traced) run(script string, opts driver.Options) *driver.Result {
	r.t.Helper()
	return r.played(driver.Load(r.t, script), opts)
}

// played runs the client with a script.
func (r *traced) played(script driver.Script, opts driver.Options) *driver.Result {
	r.t.Helper()
	opts.Path = append(opts.Path, filepath.Dir(r.binary))
	return driver.Run(r.t, r.client, r.Repo, script, opts)
}

func (r *traced) commitAll() {
	r.t.Helper()
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "human commit")
}

// resumeArgs are the arguments by which `git trace resume` would have the agent go on with a session.
func resumeArgs(t *testing.T, name, session string) []string {
	t.Helper()
	agent, found := agents.Lookup(agents.Env{}, name)
	if !found || agent.Resumer == nil {
		t.Fatalf("%s has no way to go on with a session", name)
	}
	return agent.Resumer.Resume(session)[1:]
}
