package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// twin is a repository in which a story of git commands is told; a traced one and a plain one must live the same life.
type twin struct {
	t    *testing.T
	base string
	dir  string
	env  []string
}

// newTwin makes a repository with branches, a remote and a patch, in which every command of the story has work to do.
// In a traced one git-trace is installed and a conversation is open that has written files.
func newTwin(t *testing.T, traced bool) *twin {
	t.Helper()
	base := testenv.TempDir(t)
	w := &twin{t: t, base: base, dir: filepath.Join(base, "work")}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	w.env = []string{
		"HOME=" + filepath.Join(base, "home"), "PATH=" + filepath.Dir(git) + ":/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM=1", "TZ=UTC", "LC_ALL=C.UTF-8", "GIT_EDITOR=true",
		"FILTER_BRANCH_SQUELCH_WARNING=1", // which is ten seconds long
		"GIT_AUTHOR_DATE=2026-11-02T10:00:00Z", "GIT_COMMITTER_DATE=2026-11-02T10:00:00Z",
	}
	w.env = append(w.env, testenv.Formats()...)
	w.put("../home/.gitconfig", "[user]\n\tname = A U Thor\n\temail = author@example.com\n[init]\n\tdefaultBranch = main\n[pull]\n\trebase = false\n[advice]\n\tdetachedHead = false\n"+testenv.Config)
	w.must("git", "init", "-q")
	w.put("a", "1\n2\n3\n4\n5\n")
	w.put("b", "b\n")
	w.commit("base")
	w.must("git", "init", "-q", "--bare", "../remote.git")
	w.must("git", "push", "-q", "-u", "../remote.git", "main")
	w.must("git", "remote", "add", "origin", "../remote.git")
	w.must("git", "fetch", "-q", "origin")
	w.must("git", "branch", "-q", "-u", "origin/main")
	for _, branch := range []string{"topic", "side", "pick", "mail", "theirs"} {
		w.must("git", "checkout", "-q", "-b", branch, "main")
		for i := range 2 {
			w.put(branch, strings.Repeat(branch+"\n", i+1))
			w.commit(fmt.Sprintf("%s %d", branch, i))
		}
	}
	w.must("git", "push", "-q", "origin", "theirs:main")
	w.must("git", "format-patch", "-q", "-2", "-o", "..", "mail")
	w.must("git", "checkout", "-q", "main")
	if traced {
		w.trace()
	}
	w.put("agent.txt", "by the agent\n")
	w.put("a", "1\n2\nagent\n4\n5\n")
	if traced {
		w.agent("S1", "did", "write", "agent.txt", `by the agent\n`)
		w.agent("S1", "pre", "bash", "true")
	}
	return w
}

// trace installs git-trace, as a program of this repository's own that a test can break.
func (w *twin) trace() {
	w.t.Helper()
	binary, err := buildOnce()
	if err != nil {
		w.t.Fatal(err)
	}
	w.must("mkdir", "-p", "../bin")
	w.must("cp", binary, "../bin/git-trace")
	w.must("../bin/git-trace", "init", "--agent", "claude-code")
	w.agent("S1", "start")
	w.agent("S1", "prompt", "do it")
	w.agent("S1", "pre", "write", "agent.txt", `by the agent\n`)
}

// agent plays a client, by the program of the test scripts.
func (w *twin) agent(args ...string) {
	w.t.Helper()
	cmd := exec.Command("agent", args...)
	cmd.Dir = w.dir
	cmd.Env = w.with("PATH=" + filepath.Join(w.base, "bin") + ":" + os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("agent %v: %v %s", args, err, out)
	}
}

// with is the environment of the repository's commands and more.
func (w *twin) with(more ...string) []string { return slices.Concat(w.env, more) }

func (w *twin) put(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *twin) commit(message string) {
	w.t.Helper()
	w.must("git", "add", "-A")
	w.must("git", "commit", "-q", "-m", message)
}

func (w *twin) must(args ...string) string {
	w.t.Helper()
	out, code := w.run(args...)
	if code != 0 {
		w.t.Fatalf("%q: exit status %d: %s", args, code, out)
	}
	return out
}

// run gives what a command printed, on both streams, and its exit status.
func (w *twin) run(args ...string) (string, int) {
	w.t.Helper()
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(args[0], args[1:]...)
	if strings.HasPrefix(args[0], ".") {
		cmd = exec.Command(filepath.Join(w.dir, args[0]), args[1:]...)
	}
	cmd.Dir, cmd.Env = w.dir, w.env
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("%q: %v", args, err)
	}
	return strings.ReplaceAll(string(out), w.base, "BASE"), cmd.ProcessState.ExitCode()
}

// tell runs commands and gives what each did: exit status, output, and in the end refs, history, index and files.
func (w *twin) tell(commands [][]string) []string {
	w.t.Helper()
	var told []string
	for _, args := range commands {
		if args[0] == "put" {
			w.put(args[1], args[2])
			continue
		}
		start := time.Now()
		out, code := w.run(append([]string{"git"}, args...)...)
		if args[0] == "fsck" { // its order is that of a table, whose size depends on all objects
			lines := strings.Split(out, "\n")
			slices.Sort(lines)
			out = strings.Join(lines, "\n")
		}
		told = append(told, fmt.Sprintf("git %q: %d\n%s", args, code, steady(out)))
		if took := time.Since(start); took > 30*time.Second {
			w.t.Errorf("git %q took %v", args, took)
		}
	}
	for _, args := range [][]string{
		{"for-each-ref", "--exclude=refs/traces"}, {"log", "--exclude=refs/traces/*", "--all", "--format=%H %T %s"}, {"reflog", "--format=%H %gs"}, {"stash", "list"},
		{"ls-files", "-s"}, {"status", "--porcelain=v2", "-uall", "--branch"}, {"diff", "HEAD"},
	} {
		if args[0] == "for-each-ref" { // --exclude is of git 2.42
			args = args[:1]
		}
		out := w.must(append([]string{"git"}, args...)...)
		told = append(told, fmt.Sprintf("git %q:\n%s", args, traces.ReplaceAllString(out, "")))
	}
	return told
}

// traces are the lines that only a traced repository has: its own ref.
var traces = regexp.MustCompile(`(?m)^.*refs/traces/.*\n`)

// steady takes out of git's output what differs from run to run.
func steady(out string) string {
	return regexp.MustCompile(`(?m)^(remote: .*|.*up to date in .*)\n`).ReplaceAllString(out, "")
}

// same compares two stories.
func (w *twin) same(t *testing.T, got, want []string) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("with git-trace:\n%s\nwithout:\n%s", got[i], want[i])
		}
	}
}

// twelve are the commands of row E1; each of them fires a hook of ours or moves what one looks at.
func twelve() [][]string {
	return [][]string{
		{"add", "agent.txt"}, {"commit", "-m", "one"}, {"commit", "-a", "-m", "two"}, {"put", "b", "amended\n"}, {"commit", "-a", "--amend", "-m", "three"},
		{"merge", "--no-edit", "side"}, {"rebase", "main", "topic"}, {"cherry-pick", "pick~1", "pick"}, {"revert", "--no-edit", "HEAD"}, {"checkout", "main"},
		{"put", "b", "stashed\n"}, {"stash", "push"}, {"stash", "pop"}, {"checkout", "--", "b"}, {"pull", "--no-edit", "origin", "main"}, {"push", "origin", "main"},
		{"am", "../0001-mail-0.patch", "../0002-mail-1.patch"},
	}
}

// mischief breaks a traced repository.
type mischief struct {
	name  string
	set   func(w *twin)
	hangs bool // each hook takes its full two seconds: the quick form tells a shorter story
	works bool // commits are recorded all the same
}

// replaced puts a script in the place of the program. $REAL is the program.
func replaced(script string) func(w *twin) {
	return func(w *twin) {
		w.t.Helper()
		w.must("mv", "../bin/git-trace", "../bin/real")
		if script == "" {
			return
		}
		w.put("../bin/git-trace", "#!/bin/sh\nREAL="+filepath.Join(w.base, "bin", "real")+"\n"+script+"\n")
		w.must("chmod", "+x", "../bin/git-trace")
	}
}

// inside runs the program in a mount name space of its own, after a script has changed what it sees.
func inside(script string) func(w *twin) {
	return func(w *twin) {
		w.t.Helper()
		replaced(`exec ` + strings.Join(testenv.MountSpace(w.t), " ") + ` sh -c '` + script + `; exec "$@"' sh "$REAL" "$@"`)(w)
	}
}

func faults() []mischief {
	return []mischief{
		{name: "none", works: true, set: func(*twin) {}},
		{name: "missing", set: replaced("")},
		{name: "not executable", set: func(w *twin) { w.must("chmod", "-x", "../bin/git-trace") }},
		{name: "exit 1", set: replaced("echo out; echo err >&2; exit 1")},
		{name: "killed", set: replaced("kill -9 $$")},
		{name: "crash", set: replaced("kill -SEGV $$")},
		{name: "hangs", hangs: true, set: func(w *twin) {
			// What the handler reads first is a pipe into which nobody writes.
			for _, name := range []string{"state", "timeline"} {
				w.must("rm", "-f", ".git/traces/"+name)
				w.must("mkfifo", ".git/traces/"+name)
			}
		}},
		{name: "no home", set: replaced(`unset HOME XDG_CONFIG_HOME; exec "$REAL" "$@"`)}, // nor a list of recorded repositories
		{name: "no home but the list", works: true, set: replaced(`export XDG_STATE_HOME="$HOME/.local/state"; unset HOME XDG_CONFIG_HOME; exec "$REAL" "$@"`)},
		{name: "read-only", set: inside("mount --bind .git .git && mount -o remount,bind,ro .git")},
		{name: "full disk", set: inside("cp -a .git/traces /tmp/traces.$$ && mount -t tmpfs -o size=256k none .git/traces && cp -a /tmp/traces.$$/. .git/traces; " +
			"rm -r /tmp/traces.$$; dd if=/dev/zero of=.git/traces/filled bs=1k 2>/dev/null")},
		{name: "broken log", set: func(w *twin) { testenv.BreakLog(w.t, w.dir) }},
	}
}

func TestReliabilityE1FaultsChangeNoGitCommand(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	plain := newTwin(t, false)
	want := plain.tell(twelve())
	brief := twelve()[:2]
	wantBrief := newTwin(t, false).tell(brief)
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			w := newTwin(t, true)
			f.set(w)
			before, _ := os.ReadFile(testenv.LogFile(t, w.dir))
			if f.hangs && !testenv.Long() {
				w.same(t, w.tell(brief), wantBrief)
			} else {
				w.same(t, w.tell(twelve()), want)
			}
			// The fault must be one, or the test shows nothing. What hangs is held to that by row E2; some hooks do not come to
			// it.
			after, _ := os.ReadFile(testenv.LogFile(t, w.dir))
			if recorded := len(after) > len(before); !f.hangs && recorded != f.works {
				t.Errorf("commits were recorded: %v", recorded)
			}
		})
	}
}

// every lists what users do with git, beyond what fires hooks: with our hooks and without, all of it is the same.
func every() [][]string {
	return append(twelve(), [][]string{
		{"branch", "copy"}, {"switch", "copy"}, {"switch", "-c", "fresh"}, {"restore", "--source=main~2", "a"}, {"restore", "a"}, {"put", "c", "c\n"}, {"add", "-N", "c"}, {"add", "-A"},
		{"commit", "--dry-run"}, {"commit", "-m", "c"}, {"commit", "--allow-empty", "-m", "empty"}, {"commit", "--amend", "--no-edit", "--reset-author"}, {"commit", "--fixup=HEAD"},
		{"rebase", "-i", "--autosquash", "HEAD~3"}, {"rebase", "--apply", "--force-rebase", "HEAD~1"}, {"reset", "--soft", "HEAD~1"}, {"reset", "HEAD"}, {"reset", "--hard", "HEAD"},
		{"mv", "b", "moved"}, {"rm", "-q", "moved"}, {"commit", "-m", "moved"}, {"revert", "--no-commit", "HEAD"}, {"revert", "--abort"}, {"cherry-pick", "-n", "pick"}, {"reset", "--hard"},
		{"merge", "--squash", "side~1"}, {"merge", "--ff-only", "main"}, {"merge", "nothing"}, {"put", "a", "conflict\n"}, {"commit", "-am", "conflict"}, {"cherry-pick", "main~1"},
		{"cherry-pick", "--abort"}, {"tag", "-m", "t", "v1"}, {"push", "origin", "v1", "fresh"}, {"fetch", "origin"}, {"fetch", "--prune", "origin"}, {"push", "origin", "--delete", "fresh"},
		{"worktree", "add", "../linked"}, {"worktree", "list"}, {"worktree", "remove", "../linked"}, {"bisect", "start"}, {"bisect", "reset"}, {"notes", "add", "-m", "n"}, {"notes", "show"},
		{"update-ref", "refs/heads/zz", "HEAD"}, {"branch", "-f", "zz", "HEAD~1"}, {"branch", "-D", "zz"}, {"symbolic-ref", "HEAD"}, {"clean", "-fdq"}, {"gc", "--quiet"}, {"fsck"}, {"grep", "1"},
		{"archive", "-o", "../a.tar", "HEAD"}, {"describe", "--tags"}, {"shortlog", "-s", "HEAD"}, {"blame", "a"}, {"clone", "-q", ".", "../clone"}, {"bundle", "create", "-q", "../b.bundle", "main"},
		{"filter-branch", "-f", "--msg-filter", "cat", "HEAD~1..HEAD"}, {"checkout", "nowhere"}, {"commit", "-m", "nothing to commit"}, {"stash", "push"}, {"submodule", "status"},
		{"sparse-checkout", "set", "a"}, {"sparse-checkout", "disable"}, {"rev-parse", "HEAD"}, {"show", "--stat"}, {"diff", "HEAD~1"}, {"log", "--oneline", "-3"},
	}...)
}

func TestReliabilityE1EveryGitCommandIsTheSameWithHooks(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	plain, w := newTwin(t, false), newTwin(t, true)
	w.same(t, w.tell(every()), plain.tell(every()))
	if out, code := w.run("../bin/git-trace", "verify"); code != 0 {
		t.Errorf("verify: %d %s", code, out)
	}
}

// The handler ends itself, whatever it hangs on.
func TestReliabilityE2AHungHandlerIsCutOff(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	w := newTwin(t, true)
	faults()[slices.IndexFunc(faults(), func(f mischief) bool { return f.name == "hangs" })].set(w)
	for _, args := range [][]string{{"git-hook", "post-commit"}, {"hook", "claude-code", "Stop"}} {
		cmd := exec.Command(filepath.Join(w.base, "bin", "git-trace"), args...)
		cmd.Dir, cmd.Env = w.dir, w.env
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":"S1","cwd":%q,"hook_event_name":"Stop"}`, w.dir))
		start := time.Now()
		out, err := cmd.CombinedOutput()
		if took := time.Since(start); err != nil || len(out) > 0 || took > testenv.Within(runner.HardLimit+time.Second) {
			t.Errorf("%v: %v, %q, after %v", args, err, out, took)
		} else if took < runner.HardLimit/2 {
			t.Errorf("%v did not hang, it took %v: this test no longer knows the handler", args, took)
		}
	}
}

// What a commit takes longer for our hooks, measured in turns, in processor time of all processes of the commit: the
// clock on the wall is told as well, but a machine that does other things beside the tests makes it anything. Only the
// full form measures.
func TestReliabilityE2ACommitHookIsCheap(t *testing.T) {
	if !testenv.Long() {
		t.Skip("only in the full form")
	}
	plain, w := newTwin(t, false), newTwin(t, true)
	var wall, cpu []time.Duration
	for i := range 1000 {
		once := func(w *twin) (took, used time.Duration) {
			w.put("a", fmt.Sprintf("1\n2\n%d\n4\n5\n", i))
			start := time.Now()
			c := w.measure(exec.Command("git", "commit", "-qam", "x"), nil)
			if c.code != 0 {
				t.Fatal(c.out)
			}
			return time.Since(start), c.cpu
		}
		tookPlain, usedPlain := once(plain)
		took, used := once(w)
		wall, cpu = append(wall, took-tookPlain), append(cpu, used-usedPlain)
	}
	slices.Sort(wall)
	slices.Sort(cpu)
	t.Logf("a commit takes %v longer, 95 in a hundred at most %v; of processor time %v, at most %v", wall[500], wall[950], cpu[500], cpu[950])
	if cpu[950] > 50*time.Millisecond {
		t.Errorf("95 in a hundred commits use at most %v more", cpu[950])
	}
}
