package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// newMachine is a home directory of a person who uses Claude Code, and who ran no git-trace.
func newMachine(t *testing.T) *recordedRepo {
	t.Helper()
	home, err := filepath.EvalSymlinks(testenv.TempDir(t))
	if err != nil {
		t.Fatal(err)
	}
	m := &recordedRepo{t: t, dir: home, home: home}
	config := "[user]\n\tname = A U Thor\n\temail = author@example.com\n[init]\n\tdefaultBranch = main\n" + testenv.Config
	m.put(".gitconfig", config)
	m.put(".claude/settings.json", `{"model":"opus"}`)
	return m
}

func (r *recordedRepo) put(rel, content string) {
	r.t.Helper()
	path := filepath.Join(r.home, rel)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o755)); err != nil {
		r.t.Fatal(err)
	}
}

// in is a repository below the home directory, with a commit of one file.
func (r *recordedRepo) in(rel string) *recordedRepo {
	r.t.Helper()
	other := *r
	other.dir = filepath.Join(r.home, rel)
	if _, err := os.Stat(other.dir); err == nil {
		return &other
	}
	r.run("git", "init", "-q", other.dir)
	other.run("sh", "-c", "printf 'one\\ntwo\\n' >f.txt; git add -A; git commit -qm base")
	return &other
}

// listed tells whether the repository is recorded, once what hooks started has ended.
func (r *recordedRepo) listed() bool {
	r.t.Helper()
	if err := untilAlone(r.home); err != nil {
		r.t.Fatal(err)
	}
	var told struct {
		Recording bool `json:"recording"`
		Listed    struct{ Enrolled bool }
	}
	if err := json.Unmarshal([]byte(r.run("git-trace", "status", "--json")), &told); err != nil {
		r.t.Fatal(err)
	}
	if told.Recording != told.Listed.Enrolled {
		r.t.Errorf("%s: recorded %v, enrolled %v", r.dir, told.Recording, told.Listed.Enrolled)
	}
	return told.Recording
}

func (r *recordedRepo) wantListed(want bool, what string) {
	r.t.Helper()
	if r.listed() != want {
		r.t.Errorf("%s: recorded is not %v", what, want)
	}
}

func TestSetupEnrolsRepositoriesInWhichAnAgentIsStarted(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	before := m.run("sh", "-c", "cat .gitconfig .claude/settings.json")
	m.run("git-trace", "setup", "--dry-run")
	m.in("work/a").wantListed(false, "before setup")
	m.run("agent", "S0", "start")
	if _, err := os.Stat(filepath.Join(m.home, ".local")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a dry run or a hook without setup wrote something")
	}
	m.run("git-trace", "setup", "--below", "work")
	m.run("git-trace", "setup") // changes nothing

	a := m.in("work/a")
	a.wantListed(false, "no agent was started")
	a.run("agent", "S1", "start")
	a.wantListed(true, "an agent was started")
	a.run("agent", "S1", "prompt", "more")
	a.run("agent", "S1", "edit", "f.txt", "two", "2")
	a.run("git", "commit", "-qam", "by an agent")
	if lines := a.run("git-trace", "blame", "--json", "f.txt"); !strings.Contains(lines, `"session":"S1"`) {
		t.Errorf("the edit is not the agent's: %s", lines)
	}
	b := m.in("work/b")
	b.run("agent", "S2", "prompt", "a session from before setup")
	b.wantListed(true, "an agent was prompted")

	clone := m.in("work/a")
	clone.run("git", "clone", "-q", ".", "../clone")
	clone = m.in("work/clone")
	clone.run("agent", "S3", "start")
	clone.wantListed(true, "a clone")
	clone.run("git", "worktree", "add", "-q", "../linked")
	linked := m.in("work/linked")
	linked.run("agent", "S4", "start")
	linked.wantListed(true, "a linked work tree of an enrolled repository")
	c := m.in("work/c")
	c.run("git", "worktree", "add", "-q", "../c-linked")
	linked = m.in("work/c-linked")
	linked.run("agent", "S5", "start")
	linked.wantListed(true, "a linked work tree")

	outside := m.in("play/d")
	outside.run("agent", "S6", "start")
	outside.wantListed(false, "below no directory of the user's")
	m.run("git", "config", "--global", "--add", "trace.record", "~/play")
	outside.run("agent", "S6", "prompt", "more")
	outside.wantListed(true, "a directory that the user added")
	m.run("git", "config", "--global", "--add", "trace.ignore", "~/work/private")
	private := m.in("work/private/e")
	private.run("agent", "S7", "start")
	private.wantListed(false, "a directory that the user left out")
	spoken := m.in("work/f")
	a.run("agent", "S1", "bash", "touch "+filepath.Join(spoken.dir, "g"))
	spoken.wantListed(false, "a call wrote there")

	b.run("git-trace", "uninstall")
	b.run("agent", "S2", "prompt", "more")
	b.wantListed(false, "the user took it out")
	if _, err := os.Stat(filepath.Join(b.dir, ".git", "traces", "enrolled")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("who records it again is told that it was enrolled: %v", err)
	}
	m.run("git", "config", "--global", "--unset-all", "trace.record", "play")
	m.run("git", "config", "--global", "--unset-all", "trace.ignore", "private")

	m.run("git-trace", "setup", "--undo", "--dry-run")
	a.wantListed(true, "a dry run of undo")
	m.run("git-trace", "setup", "--undo")
	if after := m.run("sh", "-c", "cat .gitconfig .claude/settings.json"); after != before {
		t.Errorf("left by undo:\n%s", after)
	}
	if hooks := a.run("sh", "-c", "ls .git/hooks | grep -v sample || true"); hooks != "" {
		t.Errorf("hooks of git are left: %s", hooks)
	}
	a.run("agent", "S8", "start")
	a.wantListed(false, "after undo")
	if again := m.run("git-trace", "setup", "--undo"); !strings.Contains(again, "nothing to do") {
		t.Errorf("undo without setup says %q", again)
	}
}

// TestSetupEnrolsNoRepositoryOfAStranger plays what setup does in the repositories of the zoo, and in repositories
// which differ from one that is enrolled in one thing alone.
func TestSetupEnrolsNoRepositoryOfAStranger(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	testenv.Needs(t, "mkfifo")
	z := newZoo(newRecorded(t))
	z.run("git-trace", "setup", "--agent", "claude-code", "--below", z.base)
	run := "touch " + z.pwned
	for name, script := range map[string]string{
		"a filter":                  "git config filter.x.clean '" + run + "'; echo '* filter=x' >.gitattributes",
		"a filter like one of lfs":  "git config filter.lfs.clean 'git-lfs clean; " + run + "'; echo '* filter=lfs' >.gitattributes",
		"fsmonitor":                 "git config core.fsmonitor '" + run + "'",
		"an include":                "git config include.path ../included",
		"another work tree":         "git config core.worktree ../../victim",
		"hooks elsewhere":           "git config core.hooksPath ../victim",
		"hooks behind a link":       "ln -s ../victim hooks; git config core.hooksPath hooks",
		"a link for hooks":          "rm -r .git/hooks; ln -s ../../victim .git/hooks",
		"a link for traces":         "ln -s ../../victim .git/traces",
		"a link for refs":           "ln -s ../../../victim .git/refs/traces",
		"a link for exclude":        "ln -sf ../../../victim/x .git/info/exclude",
		"a link for the git dir":    "mv .git ../victim/store-$$; ln -s ../victim/store-$$ .git",
		"a file for the git dir":    "mv .git ../victim/file-$$; echo gitdir: ../victim/file-$$ >.git",
		"settings of the work tree": "git config extensions.worktreeConfig true; git config --worktree core.fsmonitor '" + run + "'",
	} {
		dir := "one " + name
		z.sh("mkdir -p victim; git init -q '" + dir + "'; cd '" + dir + "'; echo one >a; git add a; git commit -qm theirs; touch -d 2020-01-01 a; " + script)
		z.add(hostile{name: name, dir: dir})
	}
	victim := z.run("sh", "-c", "ls -R '"+z.path("victim")+"'")
	for _, h := range z.all {
		if h.files || strings.HasSuffix(h.dir, "parent") {
			continue
		}
		_ = os.Remove(z.pwned)
		before := len(entriesOf(t, z))
		cmd := z.command("git-trace", "git-hook", "enrol")
		cmd.Dir = h.dir
		begun := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 || time.Since(begun) > testenv.Within(5*time.Second) {
			t.Errorf("%s: %v after %v: %s", h.name, err, time.Since(begun), out)
		}
		if after := len(entriesOf(t, z)); after != before && h.name != "a .git file that points to the recorded one" {
			t.Errorf("%s: enrolled", h.name)
		}
		if _, err := os.Stat(z.pwned); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a program of a stranger has run", h.name)
		}
	}
	if after := z.run("sh", "-c", "ls -R '"+z.path("victim")+"'"); after != victim {
		t.Errorf("something was written through a link:\n%s", after)
	}

	// One with hooks of its own alone is enrolled, and none of them runs.
	z.sh("git init -q plain; cd plain; echo one >a; git add a; git commit -qm theirs")
	for _, hook := range []string{"reference-transaction", "post-index-change", "pre-auto-gc", "post-checkout", "fsmonitor-watchman"} {
		z.put("plain/.git/hooks/"+hook, "#!/bin/sh\n"+run+"\n")
	}
	before := len(entriesOf(t, z))
	cmd := z.command("git-trace", "git-hook", "enrol")
	cmd.Dir = z.path("plain")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 || len(entriesOf(t, z)) != before+1 {
		t.Errorf("a plain one is not enrolled: %v %s", err, out)
	}
	if _, err := os.Stat(z.pwned); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a hook of the repository has run")
	}
}

// entriesOf lists the recorded repositories.
func entriesOf(t *testing.T, z *zoo) []fs.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(z.home, ".local", "state", "git-trace", "recorded"))
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func TestSetupTellsWhatItDoesNot(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for want, args := range map[string][]string{
		"is not a directory": {"setup", "--below", "nowhere"},
		"it excludes":        {"setup", "--undo", "--below", "."},
		"unknown agent":      {"setup", "--agent", "nobody"},
	} {
		cmd := m.command("git-trace", args...)
		var out bytes.Buffer
		cmd.Stderr = &out
		if err := cmd.Run(); err == nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v: %v: %s", args, err, out.String())
		}
	}
	m.run("git-trace", "setup")
	r := m.in("r")
	if said := r.run("git-trace", "status"); !strings.Contains(said, "it begins when you start an agent here") {
		t.Errorf("status says %q", said)
	}
	r.run("git", "config", "filter.x.clean", "cat")
	if said := r.run("git-trace", "status"); !strings.Contains(said, "filter.x.clean") {
		t.Errorf("status says %q", said)
	}
}
