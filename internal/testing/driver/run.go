package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// Options change how a client runs. The zero value sends one prompt, which plays the script "main" at the top of the
// work tree.
type Options struct {
	Prompt   string   // default: "[[script:main]] please do the scripted work"
	Dir      string   // working directory, absolute or relative to the work tree
	Args     []string // further arguments for the client: --continue, --resume ID, --fork-session
	Env      []string // further variables, NAME=VALUE
	Path     []string // directories to search before PATH, for the git-trace under test
	Model    string   // the model that the client believes to use, which decides its tools
	Settings []byte   // written to the user's hook configuration before the run; may be nil

	Limit  time.Duration // the client is killed after this time; default: six minutes, for busy machines
	Linger time.Duration // the time that background processes get to end; default: two seconds

	SignalOn string         // a file; when it exists, Signal is sent to the client
	Signal   syscall.Signal // default: SIGINT

	// At plays a person at a terminal, while the client runs interactively. When it returns, the client is killed.
	// Permissions are not granted beforehand. If nil, the client runs in its print mode.
	At func(*Terminal)

	CheckTrust   bool // the client checks whether hooks (Codex) or the folder (Gemini CLI, Qwen Code) are trusted
	AllowFailure bool // a failed client or an unfinished script does not fail the test
}

// Result holds what is visible of one run.
type Result struct {
	ExitCode int // -1 if a signal ended the client
	TimedOut bool
	Stdout   []byte
	Stderr   []byte

	Session     string   // the client's session id
	Answer      string   // the model's last text
	Transcripts []string // session files, the main one first, then those of subagents

	Requests []Request
	Outbound []string // hosts other than 127.0.0.1 that the client tried to reach
	Unplayed []string // "NAME#TURN" of turns that were not played in conversations that began
	Problems []string // reasons why the script was not played as written
	Killed   []string // names of the processes that were killed after Linger

	Dir string // directory with the run's requests, standard output and standard error
}

// runner hides the differences between clients.
type runner interface {
	// prepare writes the client's configuration, and returns the client's arguments and environment.
	prepare(j *job) (args, env []string, err error)
	// inspect reads the facts from the client's own formats.
	inspect(j *job, res *Result) error
}

// job is a run while it is prepared and made.
type job struct {
	client Client
	binary string
	repo   *Repo
	opts   Options
	dir    string // working directory
	run    string // directory of the run
	url    string // URL of the model server
}

// place writes a file below the user's home. Bytes are written unchanged, any other content as JSON.
func (j *job) place(content any, path ...string) error {
	raw, ok := content.([]byte)
	if !ok {
		var err error
		if raw, err = json.MarshalIndent(content, "", "  "); err != nil {
			return err
		}
	}
	name := filepath.Join(append([]string{j.repo.Home}, path...)...)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, raw, 0o600)
}

// `each` reads the events that a client printed, one on each line. It ignores an incomplete line of a killed client.
func each[E any](printed []byte, hear func(E)) {
	for line := range bytes.Lines(printed) {
		var e E
		if json.Unmarshal(line, &e) == nil {
			hear(e)
		}
	}
}

// runMark is the variable that marks the processes of a run.
const runMark = "GITTRACE_DRIVER_RUN"

func (j *job) do(ctx context.Context, script Script) (*Result, error) {
	if err := os.MkdirAll(j.run, 0o755); err != nil {
		return nil, fmt.Errorf("run %s: %w", j.client.Name, err)
	}
	mark := runMark + "=" + j.run
	base := append(j.repo.Env(j.opts.Path...), mark)
	server, err := Serve(Config{
		Script: script,
		Vars:   map[string]string{"REPO": j.repo.Dir, "HOME": j.repo.Home, "RUN": j.run},
		Dir:    j.repo.Dir,
		Env:    base,
		Seed:   filepath.Base(j.run),
		Log:    filepath.Join(j.run, "requests"),
	})
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", j.client.Name, err)
	}
	defer func() { _ = server.Close() }()
	j.url = server.URL()
	args, env, err := j.client.runner.prepare(j)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", j.client.Name, err)
	}
	env = append(append(append(base, offline(j.url)...), env...), j.opts.Env...)
	if j.opts.At != nil {
		env = append(env, "TERM=xterm-256color")
	}
	res := &Result{Dir: j.run}
	group, err := j.execute(ctx, args, env, res)
	if group != 0 {
		res.Killed = reap(group, mark, j.opts.Linger)
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", j.client.Name, err)
	}
	res.Requests, res.Outbound = server.Requests(), server.Outbound()
	res.Unplayed, res.Problems = server.Unplayed(), server.Problems()
	if err := j.client.runner.inspect(j, res); err != nil {
		return res, fmt.Errorf("run %s: %w", j.client.Name, err)
	}
	return res, nil
}

// ask returns the parameter `asking` if the client runs at a terminal, otherwise the parameter `printing`.
func (j *job) ask(printing, asking string) string {
	if j.opts.At != nil {
		return asking
	}
	return printing
}

// `offline` returns variables that send all requests, except those to 127.0.0.1, to a proxy that refuses them.
func offline(url string) []string {
	var env []string
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		env = append(env, name+"="+url)
	}
	return append(env, "NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost")
}

// execute starts the client in its own process group, and waits for it. It returns the group; 0 if the client could not
// be started.
func (j *job) execute(ctx context.Context, args, env []string, res *Result) (group int, err error) {
	ctx, cancel := context.WithTimeout(ctx, j.opts.Limit)
	defer cancel()
	// Files, not pipes: a remaining process could hold pipes open.
	outPath, errPath := filepath.Join(j.run, "stdout"), filepath.Join(j.run, "stderr")
	stdout, err := os.Create(outPath)
	if err != nil {
		return 0, err
	}
	defer func() { _ = stdout.Close() }()
	stderr, err := os.Create(errPath)
	if err != nil {
		return 0, err
	}
	defer func() { _ = stderr.Close() }()
	program, before := j.client.command(j.binary)
	cmd := exec.CommandContext(ctx, program, append(before, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = j.dir, env, stdout, stderr
	ownGroup(cmd)
	var person *os.File
	if j.opts.At != nil {
		var terminal *os.File
		if terminal, person, err = openTerminal(); err != nil {
			return 0, err
		}
		defer func() { _, _ = terminal.Close(), person.Close() }()
		atTerminal(cmd, terminal)
	}

	// The parent-death signal belongs to the thread that started the process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	group = cmd.Process.Pid
	if j.opts.At != nil {
		screen := &Terminal{t: j.repo.t, person: person, limit: j.opts.Limit / 2}
		go screen.watch()
		done := make(chan struct{})
		defer func() { <-done }()
		go func() {
			defer close(done)
			j.opts.At(screen)
			_ = cmd.Process.Kill() // the process may have ended already
		}()
	}
	if j.opts.SignalOn != "" {
		go func() {
			if waitFile(ctx, j.opts.SignalOn, j.opts.Limit) == nil {
				_ = cmd.Process.Signal(j.opts.Signal) // the process may have ended already
			}
		}()
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return group, err
	}
	res.ExitCode = cmd.ProcessState.ExitCode()
	res.TimedOut = errors.Is(ctx.Err(), context.DeadlineExceeded)
	if res.Stdout, err = os.ReadFile(outPath); err != nil {
		return group, err
	}
	res.Stderr, err = os.ReadFile(errPath)
	return group, err
}
