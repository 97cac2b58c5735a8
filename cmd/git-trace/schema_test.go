package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// recordedRepo is a repository in which an agent's conversation was recorded and partly committed.
type recordedRepo struct {
	t    *testing.T
	dir  string
	home string
}

func newRecorded(t *testing.T) *recordedRepo {
	t.Helper()
	r := &recordedRepo{t: t, dir: filepath.Join(testenv.TempDir(t), "a repo"), home: testenv.TempDir(t)}
	if err := os.Mkdir(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	config := "[user]\n\tname = A U Thor\n\temail = author@example.com\n[init]\n\tdefaultBranch = main\n" + testenv.Config
	if err := os.WriteFile(filepath.Join(r.home, ".gitconfig"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	r.run("git", "init", "-q")
	r.run("git-trace", "init", "--agent", "claude-code")
	r.run("agent", "alpha", "start")
	r.run("agent", "alpha", "prompt", "make <close> safe & \xff")
	r.run("agent", "alpha", "write", "a.go", `one\ntwo\nthree\n`)
	r.run("agent", "alpha", "write", "caf\xe9.go", `odd name\n`)
	r.run("agent", "alpha/helper", "substart")
	r.run("agent", "alpha/helper", "bash", "printf '\\\\377\\\\n' >bytes; printf '\\\\000' >binary")
	r.run("agent", "alpha", "fail", "echo half >half")
	r.run("agent", "alpha", "stop")
	r.run("sh", "-c", "sed -i 's/two/2/' a.go; git add a.go bytes binary; git commit -qm 'first <one>'")
	r.run("git", "commit", "-q", "--amend", "-m", "first, amended")
	r.run("agent", "alpha", "write", "later.go", `one of the later lines\n`)
	r.run("git", "add", "later.go")
	r.run("git", "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "unseen")
	r.run("env", "TRANSCRIPTS=1", "agent", "carol", "prompt", `said & <kept>\nwith \x1b[31m colour`)
	r.run("env", "TRANSCRIPTS=1", "agent", "carol", "write", "kept.go", `kept\n`)
	r.run("env", "TRANSCRIPTS=1", "agent", "carol", "stop")
	r.run("git-trace", "record")
	r.run("agent", "bravo", "prompt", "adopted in the middle")
	r.run("agent", "bravo", "edit", "a.go", "three", "drei")
	r.run("agent", "bravo", "pre", "bash", "true")
	r.sign()
	return r
}

// sign makes a checkpoint that git cannot check here, so that verify has something to say of it.
func (r *recordedRepo) sign() {
	r.t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		return // the checkpoint script says so, and fails under CI
	}
	key := filepath.Join(r.home, "key")
	r.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "me", "-f", key)
	r.run("git", "config", "gpg.format", "ssh")
	r.run("git-trace", "checkpoint", "--key", key+".pub")
}

// environ is the environment in which commands of the repository run.
func (r *recordedRepo) environ() []string {
	return append([]string{
		"HOME=" + r.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", runner.LimitEnv + "=" + patience, "TZ=UTC", "LC_ALL=C.UTF-8",
		"GIT_AUTHOR_DATE=2026-11-02T10:00:00Z", "GIT_COMMITTER_DATE=2026-11-02T10:00:00Z",
	}, testenv.Formats()...)
}

func (r *recordedRepo) run(args ...string) string {
	r.t.Helper()
	cmd := r.command(args[0], args[1:]...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("%q: %v: %s", args, err, complaint.String())
	}
	return string(out)
}

func (r *recordedRepo) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = r.dir, r.environ()
	return cmd
}

const schemaDir = "../../docs/schema"

var buildFollows = building("follows", "../../internal/testing/follows")

// follows holds the JSON values that a command printed against a schema of docs/schema.
func follows(t *testing.T, schema, out string) {
	t.Helper()
	program, err := buildFollows()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, schemaDir, schema)
	cmd.Stdin = strings.NewReader(out)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s\n%s", err, said, out)
	}
}

func mustAbs(t *testing.T, name string) string {
	t.Helper()
	abs, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

func TestEveryJSONOutputFollowsItsSchema(t *testing.T) {
	t.Parallel()
	r := newRecorded(t)
	last := strings.TrimSpace(r.run("git", "rev-parse", "HEAD"))
	for name, args := range map[string][]string{
		"conversations":                 {"log", "--json"},
		"conversations, what was asked": {"log", "--json", "--prompts"},
		"no conversations":              {"log", "--json", "--agent=pi"},
		"a conversation":                {"show", "--json", "alpha"},
		"a conversation with a record":  {"show", "--json", "carol"},
		"steps":                         {"show", "--json", "carol:1", "carol:2"},
		"one seen in the middle":        {"show", "--json", "bravo"},
		"every call and its hunks":      append([]string{"show", "--json"}, r.ids("window_opened", "tool_call")...),
		"every patch":                   append([]string{"show", "--json"}, r.ids("patch_recorded", "patch")...),
		"every event":                   append([]string{"show", "--json"}, r.ids("", "id")...),
		"commits":                       {"show", "--json", last, "HEAD"},
		"commits beside traces":         {"graph", "--json"},
		"no commits":                    {"graph", "--json", "-n0"},
		"status":                        {"status", "--json"},
		"agents":                        {"capabilities", "--json"},
		"verification":                  {"verify", "--json"},
		"what gc would do":              {"gc", "--json", "--dry-run"},
		"what could be reconciled":      {"reconcile", "--json", "--dry-run"},
		"a snapshot":                    {"snapshot", "--json"},
		"quality of no records":         {"quality", "--json"},
		"quality of a session":          {"quality", "--json", mustAbs(t, "../../testdata/sessions/claude-code/basic-0001.jsonl")},
		"a session beside another": {"compare", "--json", mustAbs(t, "../../testdata/sessions/claude-code/basic-0001.jsonl"),
			mustAbs(t, "../../testdata/sessions/claude-code/agents-0001.jsonl")},
		"what goes on from a step":    {"resume", "--json", "--at-step", "carol:2", "--worktree", filepath.Join(r.home, "onward")},
		"a prompt to pass on":         {"capsule", "--yes", "-o", "-", "carol"},
		"a change without a policy":   {"check", "--json", "HEAD~1..HEAD"},
		"calls that wrote a file":     {"search", "--json", "--file", "*.go"},
		"owners":                      {"blame", "--json", "a.go"},
		"owners of runs":              {"blame", "--json=runs", "a.go"},
		"the trails of every patch":   append([]string{"track", "--json"}, r.ids("patch_recorded", "patch")...),
		"the trails of a commit":      {"track", "--json", "HEAD~1"},
		"a diff":                      {"diff", "--json"},
		"a diff of commits":           {"diff", "--json", "HEAD~1...HEAD"},
		"no diff":                     {"diff", "--json", "HEAD", "HEAD"},
		"a diff with no files":        {"diff", "--json", emptyTree + "..HEAD"},
		"a diff of a prompt":          {"diff", "--json", "alpha#1^!"},
		"what would come back":        {"restore", "--json", "--dry-run", "alpha#1", "."},
		"what would be taken back":    {"revert", "--json", "--dry-run", "alpha", "--", "nosuch"},
		"why lines are there":         {"why", "--json", "a.go:1-3", "later.go:1", "bytes:1", "kept.go:1"},
		"why lines of HEAD are there": {"why", "--json", "HEAD", "a.go:2"},
		"a line, shown":               {"show", "--json", "a.go:1", "HEAD"},
		"how people steered":          {"steering", "--json"},
		"lessons":                     {"lessons", "--json", "HEAD"},
		"the state of the work":       {"handoff", "--json", "HEAD"},
		"the steering of nobody":      {"steering", "--json", "HEAD..HEAD"},
		"settings":                    {"config", "--json"},
		"a report":                    {"report", "--json", "--show-prompts=all", "HEAD~1..HEAD"},
		"what doctor finds":           {"doctor", "--json"},
		"what init would do":          {"init", "--json", "--dry-run", "--agent", "codex-cli"},
		"who wrote the lines":         {"stats", "--json"},
		"the lines by all":            {"stats", "--json", "--survival", "--by", "week,month,agent,model,author,directory,language"},
		"a report of nothing":         {"report", "--json", "HEAD..HEAD"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := r.run(append([]string{"git-trace"}, args...)...)
			name := args[0]
			switch {
			case slices.Contains(args, "--json=runs"):
				name += "-runs"
			case name == "lessons" || name == "handoff": // parts of one document
				name = "steering"
			}
			follows(t, name, out)
			fills(t, name, out)
			if strings.Contains(out, `\u003c`) || strings.Contains(out, `\u0026`) {
				t.Errorf("escaped for HTML: %s", out)
			}
		})
	}
}

// Commands that write tell what they did in a form of their own.
func TestWhatCommandsWroteFollowsItsSchema(t *testing.T) {
	t.Parallel()
	r := newRecorded(t)
	files := testenv.TempDir(t)
	r.run("git", "init", "-q", "--bare", filepath.Join(files, "remote.git"))
	r.run("git", "remote", "add", "origin", filepath.Join(files, "remote.git"))
	r.run("git", "push", "-q", "origin", "HEAD:refs/heads/main")
	for _, format := range []string{"opentraces", "git-ai"} {
		r.run("sh", "-c", fmt.Sprintf("git-trace export --format %s >'%s/%[1]s'", format, files))
	}
	commands := []struct {
		args []string
		want string // of what it says
	}{
		{[]string{"record", "--json"}, `"conversations": []`},
		{[]string{"record", "--json", "carol"}, `"stored": false`},
		{[]string{"import", "--json", "--from", "opentraces", filepath.Join(files, "opentraces")}, `"here": 1`},
		{[]string{"import", "--json", "--from", "git-ai", filepath.Join(files, "git-ai")}, `"stored": 0`},
		{[]string{"push", "--json", "--to", "commits", "origin"}, `"state": "pushed"`},
		{[]string{"push", "--json"}, `"refs": []`},
		{[]string{"pull", "--json", "origin"}, `"remote": "origin"`},
		{[]string{"verify", "--fetched", "--json"}, `"own": true`},
		{[]string{"doctor", "--fix", "--json"}, `"problems": 0`},
		{[]string{"init", "--json", "--agent", "gemini-cli"}, `"for": "gemini-cli"`},
		{[]string{"restore", "--json", "--force", "alpha#1", "a.go"}, `"action": "`},
	}
	if _, err := exec.LookPath("ssh-keygen"); err == nil {
		commands = append(commands, commands[0])
		commands[len(commands)-1].args = []string{"checkpoint", "--json", "--key", filepath.Join(r.home, "key.pub")}
		commands[len(commands)-1].want = `"kind": "ssh"`
	}
	for _, command := range commands {
		out := r.run(append([]string{"git-trace"}, command.args...)...)
		name := command.args[0]
		if slices.Contains(command.args, "--fetched") {
			name += "-fetched"
		}
		follows(t, name, out)
		fills(t, name, out)
		if !strings.Contains(out, command.want) {
			t.Errorf("%q does not say %s: %s", command.args, command.want, out)
		}
	}
}

// ids collects the values of a member from the events of a type.
func (r *recordedRepo) ids(typ, member string) []string {
	r.t.Helper()
	args := []string{"git-trace", "events", "--json"}
	if typ != "" {
		args = append(args, "--type", typ)
	}
	var ids []string
	for line := range strings.Lines(r.run(args...)) {
		_, rest, found := strings.Cut(line, fmt.Sprintf("%q:\"", member))
		id, _, ended := strings.Cut(rest, `"`)
		if found && ended {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		r.t.Fatalf("no event of type %q names a %s", typ, member)
	}
	return ids
}
