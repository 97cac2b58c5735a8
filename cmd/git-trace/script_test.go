package main

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/testing/forge"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts run the real programs beside the real git, and small ones of their own that play an agent and read a
// blame (see buildPrograms). The program of the tests can stand in for git-trace.
func TestMain(m *testing.M) {
	testscript.Main(atHome{m}, map[string]func(){
		"git-trace":       func() { dieEarly(); os.Exit(metered(runProgram)) },
		"git-trace-hook":  func() { dieEarly(); os.Exit(metered(func() int { return runner.Main(os.Args[1:]) })) },
		"git-trace-batch": func() { os.Exit(runTrials(os.Args[1:])) },
	})
}

// runProgram is main without its end.
func runProgram() int { return run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}) }

// atHome are the tests, with a list of recorded repositories of their own for what they do in this process. The
// processes of those that have a home of their own have a list of their own.
type atHome struct{ *testing.M }

func (a atHome) Run() int {
	var err error
	if ownDir, err = os.MkdirTemp("", "git-trace-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer func() { _ = os.RemoveAll(ownDir) }()
	if err := os.Setenv("XDG_STATE_HOME", filepath.Join(ownDir, "state")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if err := buildPrograms(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return a.M.Run()
}

// buildPrograms builds git-trace and its hook as releases are built, and what scripts play, and puts them first in PATH:
// they start in a fraction of the time that the program of the tests takes.
func buildPrograms() error {
	itself, err := exec.LookPath("git-trace")
	if err != nil {
		return err
	}
	testPrograms, realPrograms = filepath.Dir(itself), filepath.Join(ownDir, "programs")
	build := exec.CommandContext(context.Background(),
		"go", "build", "-ldflags=-w", "-o", realPrograms+string(filepath.Separator), ".", "../git-trace-hook",
		"../../internal/testing/agent", "../../internal/testing/owners")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build git-trace: %w: %s", err, out)
	}
	return os.Setenv("PATH", realPrograms+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// Directories with a git-trace and a git-trace-hook, until all tests have ended. The program of the tests plays them in
// testPrograms: it can die early, and it can note what it takes.
var testPrograms, realPrograms string

// ownDir is what all tests share, until they end.
var ownDir string

// patience is how long hooks may take, in seconds, in tests that ask what was recorded: many tests share a machine.
const patience = "60"

const scriptDir = "../../testdata/script"

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, scriptParams(t, "main"))
}

// The same scripts in a linked work tree, and under a configuration that changes what git prints.
func TestScriptsInLinkedWorktree(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	testscript.Run(t, scriptParams(t, "linked"))
}

func TestScriptsUnderHostileConfiguration(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	testscript.Run(t, scriptParams(t, "hostile"))
}

// scriptsOf lists the scripts that run in a variant of the surroundings. The plain variant runs all of them, and so does
// each variant in the full form. Otherwise each other variant runs a sixteenth, chosen by name, and every script that
// asks for its variant.
func scriptsOf(t *testing.T, variant string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(scriptDir, "*.txtar"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	if variant == "main" || testenv.Long() {
		return all
	}
	return slices.DeleteFunc(all, func(name string) bool {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		falls := map[uint32]string{0: "linked", 1: "hostile"}[crc32.ChecksumIEEE([]byte(filepath.Base(name)))%16]
		return falls != variant && !bytes.Contains(bytes.ToLower(text), []byte("variant"))
	})
}

// scriptParams runs scripts in one variant of their surroundings.
func scriptParams(t *testing.T, variant string) testscript.Params {
	t.Helper()
	return testscript.Params{
		Files:               scriptsOf(t, variant),
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		ContinueOnError:     os.Getenv("KEEP_GOING") != "",
		Setup: func(env *testscript.Env) error {
			if variant == "main" {
				holdEvidence(env, evidenceDir)
			}
			return setUpScript(env, variant)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"repo":     func(ts *testscript.TestScript, neg bool, args []string) { makeRepo(ts, variant, args) },
			"fetchlog": fetchLog,
			"cutlog":   cutLog,
			"examples": runExamples,
			"hint":     runHint,
			"forge":    serveForge,
		},
		Condition: func(cond string) (bool, error) {
			if name, ok := strings.CutPrefix(cond, "variant:"); ok {
				return name == variant, nil
			}
			if cond == "long" {
				return os.Getenv("GITTRACE_LONG") != "", nil
			}
			if cond == "ci" { // where everything a script needs must be there
				return os.Getenv("CI") == "true", nil
			}
			if cond == "bash-completion" {
				_, err := os.Stat("/usr/share/bash-completion/completions/git")
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	}
}

// fetchLog brings the log of another clone in: fetchlog DIRECTORY REMOTE [WRITER], by another name than its own.
func fetchLog(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: fetchlog directory remote [writer]")
	}
	writer := testenv.WriterOf(ts, ts.MkAbs(args[0]))
	if len(args) > 2 {
		writer = args[2]
	}
	testenv.FetchLogAs(ts, ts.MkAbs("."), ts.MkAbs(args[0]), testenv.FetchedLog(args[1], writer))
}

// cutLog takes the last batches from the log: cutlog NUMBER.
func cutLog(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(strings.Join(args, " "))
	ts.Check(err)
	testenv.CutLog(ts, ts.MkAbs("."), n)
}

// serveForge serves the repositories of the script as a forge does: forge http|ssh. FORGE is the address before a path.
func serveForge(ts *testscript.TestScript, _ bool, args []string) {
	root := ts.Getenv("WORK")
	switch strings.Join(args, " ") {
	case "http":
		backend, err := forge.HTTP(root)
		ts.Check(err)
		served := httptest.NewServer(backend)
		ts.Defer(func() { served.CloseClientConnections(); served.Close() })
		ts.Setenv("FORGE", served.URL)
	case "ssh":
		keys := filepath.Join(root, ".ssh-keys")
		ts.Check(os.MkdirAll(keys, 0o700))
		command, address, err := forge.SSH(keys)
		ts.Check(err)
		ts.Setenv("GIT_SSH_COMMAND", command)
		ts.Setenv("FORGE", address+root)
	default:
		ts.Fatalf("usage: forge http|ssh")
	}
}

const hostileConfig = `[diff]
	noprefix = true
	mnemonicPrefix = true
	external = /bin/false
	algorithm = histogram
	renames = copies
	context = 7
	interHunkContext = 5
	indentHeuristic = false
	submodule = log
	orderFile = /nonexistent-order
	wsErrorHighlight = all
[color]
	ui = always
[core]
	quotePath = false
	abbrev = 12
	pager = /bin/false
	commentChar = "%"
[blame]
	coloring = repeatedLines
	showEmail = true
	date = relative
[log]
	showSignature = true
	date = relative
	showRoot = false
	follow = true
[status]
	short = true
	showUntrackedFiles = no
`

func setUpScript(env *testscript.Env, variant string) error {
	home := filepath.Join(env.WorkDir, ".home")
	if err := os.MkdirAll(filepath.Join(home, ".claude"), 0o755); err != nil { // the agent that is installed here
		return err
	}
	config := "[user]\n\tname = A U Thor\n\temail = author@example.com\n[init]\n\tdefaultBranch = main\n" +
		"[protocol \"file\"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n[commit]\n\tgpgSign = false\n" + testenv.Config
	if variant == "hostile" {
		config += strings.ReplaceAll(hostileConfig, "\torderFile = /nonexistent-order\n", "")
	}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644); err != nil {
		return err
	}
	for _, entry := range testenv.Formats() {
		name, value, _ := strings.Cut(entry, "=")
		env.Setenv(name, value)
	}
	env.Setenv(runner.LimitEnv, patience)
	env.Setenv("HOME", home)
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("TZ", "UTC")
	env.Setenv("LC_ALL", "C.UTF-8")
	env.Setenv("GIT_AUTHOR_DATE", "2026-11-02T10:00:00Z")
	env.Setenv("GIT_COMMITTER_DATE", "2026-11-02T10:00:00Z")
	env.Setenv("GIT_EDITOR", "true")
	env.Setenv("COLUMNS", "80")
	env.Setenv("VARIANT", variant)
	project, err := filepath.Abs(moduleRoot)
	if err != nil {
		return err
	}
	env.Setenv("PROJECT", project)
	return nil
}

// makeRepo is the script command `repo NAME [-n]`: a repository, or a linked work tree of one, in which recording is
// on, as the new current directory. With -n git-trace is not initialised.
func makeRepo(ts *testscript.TestScript, variant string, args []string) {
	if len(args) < 1 {
		ts.Fatalf("usage: repo NAME [-n]")
	}
	dir := filepath.Join(ts.Getenv("WORK"), args[0])
	run := func(at string, arg ...string) {
		ts.Check(os.MkdirAll(at, 0o755))
		ts.Check(ts.Chdir(at))
		ts.Check(ts.Exec(arg[0], arg[1:]...))
	}
	at := dir
	if variant == "linked" {
		at = filepath.Join(filepath.Dir(dir), ".main-of-"+filepath.Base(dir))
	}
	run(at, "git", "init", "-q")
	run(at, "git", "commit", "-q", "--allow-empty", "-m", "start")
	if variant == "linked" {
		run(at, "git", "switch", "-q", "--detach")
		run(at, "git", "worktree", "add", "-q", dir, "main")
	}
	ts.Check(ts.Chdir(dir))
	if len(args) == 1 {
		ts.Check(ts.Exec("git-trace", "init"))
	}
}
