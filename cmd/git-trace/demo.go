package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
)

// demoScript is a recorded conversation: the payloads of the agent's hooks, the changes of its tools, the changes of a
// person in between, and the commit.
//
//go:embed demo/conversation.json
var demoScript []byte

// demoStep is one step of the script. Exactly one field besides Say is set.
type demoStep struct {
	Say     string            `json:"say,omitempty"`     // text for the user
	Files   map[string]string `json:"files,omitempty"`   // committed before recording begins
	Lines   []json.RawMessage `json:"lines,omitempty"`   // lines that the client adds to its session file before the hook
	Hook    string            `json:"hook,omitempty"`    // the event's name; Payload is the hook's standard input
	Payload json.RawMessage   `json:"payload,omitempty"` // with ${REPO} for the repository
	Replace *demoReplace      `json:"replace,omitempty"` // a change of a file by a tool, or by a person
	Shell   string            `json:"shell,omitempty"`   // the command of a shell tool
	Git     []string          `json:"git,omitempty"`
}

type demoReplace struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

func demoCommand() *command {
	return &command{
		Name: "demo",
		Does: "play a recorded conversation in a throw-away repository and show who wrote what",
		Form: "git trace demo [--keep]",
		About: "Makes a repository in a temporary directory, installs the git hooks, plays a recorded conversation\n" +
			"of Claude Code through the real hooks, with a person's edits in between, commits, and shows the\n" +
			"blame and the graph. No agent, no model and no network are needed; nothing outside the\n" +
			"temporary directory is touched. With --keep the repository stays. It goes on your list of recorded\n" +
			"repositories, so that every command works in it.",
		Options: options("keep"),
		Examples: []example{
			{"git trace demo", "play a conversation and show the result"},
		},
		Run:    func(a *app, c *call, _ operands) error { return a.demo(c.Context, c.Bool("keep")) },
		Traits: alone | atOnce,
		Tries:  []string{"--help"},
	}
}

// demo plays the script.
func (a *app) demo(ctx context.Context, keep bool) error {
	var steps []demoStep
	if err := json.Unmarshal(demoScript, &steps); err != nil {
		return fmt.Errorf("read the recorded conversation: %w", err)
	}
	home, err := os.MkdirTemp("", "git-trace-demo-")
	if err != nil {
		return fmt.Errorf("make the throw-away repository: %w", err)
	}
	if !keep {
		defer os.RemoveAll(home)
	}
	if home, err = filepath.EvalSymlinks(home); err != nil {
		return err
	}
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find git-trace itself: %w", err)
	}
	// recording also adds to the list of recorded repositories
	state, named := os.LookupEnv("XDG_STATE_HOME")
	if err := os.Setenv("XDG_STATE_HOME", filepath.Join(home, ".state")); err != nil {
		return err
	}
	p := demoPlayer{app: a, ctx: ctx, home: home, dir: filepath.Join(home, "server"), binary: binary}
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		return err
	}
	for i, s := range steps {
		if err := p.play(s); err != nil {
			return fmt.Errorf("step %d of the recorded conversation: %w", i+1, err)
		}
	}
	if !keep {
		fmt.Fprintln(a.std.err, "git-trace: hint: git trace demo --keep leaves the repository, "+
			"to try git trace log, show, why and track in;\ngit-trace: hint: git trace init starts recording in one of yours")
		return nil
	}
	if err := p.quietly(binary, "record"); err != nil {
		return err
	}
	if named {
		err = os.Setenv("XDG_STATE_HOME", state)
	} else {
		err = os.Unsetenv("XDG_STATE_HOME")
	}
	if err == nil {
		err = p.list()
	}
	fmt.Fprintf(a.std.err, "the repository is in %s\n", p.dir)
	if err == nil {
		fmt.Fprintln(a.std.err, "git-trace: hint: try git trace log, git trace why server.go:11 there")
	}
	return err
}

// list puts the repository on the user's list of recorded repositories. Otherwise hooks would do nothing there, and
// every command would print a hint.
func (p *demoPlayer) list() error {
	repo, err := refs.Discover(p.dir)
	if err != nil {
		return err
	}
	if err := recorded.Add(repo); err != nil {
		return explainList(err)
	}
	return nil
}

// demoPlayer plays the steps in its own home, with its own git configuration.
type demoPlayer struct {
	app    *app
	ctx    context.Context
	home   string
	dir    string
	binary string
}

func (p *demoPlayer) play(s demoStep) error {
	if s.Say != "" {
		fmt.Fprintf(p.app.std.out, "\n# %s\n", s.Say)
	}
	switch {
	case s.Files != nil:
		return p.begin(s.Files)
	case s.Hook != "":
		if err := p.tell(s); err != nil {
			return err
		}
		return p.run(strings.NewReader(p.here(s.Payload)), p.binary, "hook", "claude-code", s.Hook)
	case s.Replace != nil:
		return p.replace(*s.Replace)
	case s.Shell != "":
		return p.run(nil, "sh", "-c", s.Shell)
	case s.Git != nil && s.Git[0] == "trace":
		fmt.Fprintf(p.app.std.out, "\n$ git %s\n", strings.Join(s.Git, " "))
		return p.run(nil, p.binary, s.Git[1:]...)
	case s.Git != nil:
		return p.run(nil, "git", s.Git...)
	}
	return nil
}

// here replaces the repository's directory and the present time in a text.
func (p *demoPlayer) here(text json.RawMessage) string {
	return strings.NewReplacer("${REPO}", p.dir, "${TIME}", time.Now().UTC().Format("2006-01-02T15:04:05.000Z")).
		Replace(string(text))
}

// tell appends lines to the session file that the hook's payload names.
func (p *demoPlayer) tell(s demoStep) error {
	var named struct {
		Path string `json:"transcript_path"`
	}
	if err := json.Unmarshal([]byte(p.here(s.Payload)), &named); err != nil || len(s.Lines) == 0 {
		return err
	}
	var text bytes.Buffer
	for _, line := range s.Lines {
		if err := json.Compact(&text, []byte(p.here(line))); err != nil {
			return err
		}
		text.WriteByte('\n')
	}
	if err := refs.MakeDirs(filepath.Dir(named.Path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(named.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text.Bytes())
	return errors.Join(err, f.Close())
}

// begin makes the repository, starts recording, and commits a person's first files.
func (p *demoPlayer) begin(files map[string]string) error {
	if err := p.run(nil, "git", "init", "-q", "-b", "main"); err != nil {
		return err
	}
	if err := p.quietly(p.binary, "init", "--agent", "claude-code"); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	if err := p.run(nil, "git", "add", "-A"); err != nil {
		return err
	}
	return p.run(nil, "git", "commit", "-qm", "server: first version")
}

func (p *demoPlayer) replace(r demoReplace) error {
	name := filepath.Join(p.dir, r.Path)
	content, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if !bytes.Contains(content, []byte(r.Old)) {
		return fmt.Errorf("%s does not hold the text to replace", r.Path)
	}
	content = bytes.Replace(content, []byte(r.Old), []byte(r.New), 1)
	return os.WriteFile(name, content, 0o644)
}

// `run` runs a command in the repository and shows its output.
func (p *demoPlayer) run(in *strings.Reader, name string, args ...string) error {
	out := p.app.std.out
	if file, isFile := terminal.File(out); isFile { // standard output may be a terminal
		p.app.line.End()
		out = file
	}
	return p.runTo(out, in, name, args...)
}

func (p *demoPlayer) quietly(name string, args ...string) error {
	return p.runTo(io.Discard, nil, name, args...)
}

// runTo runs a command with the demo's own environment, without the user's configuration.
func (p *demoPlayer) runTo(out io.Writer, in *strings.Reader, name string, args ...string) error {
	cmd := exec.CommandContext(p.ctx, name, args...)
	cmd.Dir = p.dir
	cmd.Env = []string{
		"HOME=" + p.home, "XDG_STATE_HOME=" + os.Getenv("XDG_STATE_HOME"), "PATH=" + os.Getenv("PATH"), "TERM=" +
			os.Getenv("TERM"), "TZ=UTC", "LC_ALL=C.UTF-8",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_PAGER=cat",
		"GIT_AUTHOR_NAME=A U Thor", "GIT_AUTHOR_EMAIL=author@example.com",
		"GIT_COMMITTER_NAME=A U Thor", "GIT_COMMITTER_EMAIL=author@example.com",
	}
	if in != nil {
		cmd.Stdin = in
	}
	cmd.Stdout = out
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", filepath.Base(name), args[0], err, strings.TrimSpace(complaint.String()))
	}
	return nil
}
