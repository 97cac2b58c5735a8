package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// TestRestoreKilledAnywhere: a restore ends at one of the system calls by which it changes the work tree, killed, or
// because the disk is full. Nothing of what was there is lost, and the same restore then brings back all files, with
// the owners they had, and leaves nothing beside them. In the full form that is each of these calls.
func TestRestoreKilledAnywhere(t *testing.T) { killedAnywhere(t, "restore") }

// TestRevertKilledAnywhere: the same of a revert. The same revert then finishes it, also where some files are without
// the work already.
func TestRevertKilledAnywhere(t *testing.T) { killedAnywhere(t, "revert") }

func killedAnywhere(t *testing.T, verb string) {
	t.Helper()
	t.Parallel()
	testenv.Wide(t)
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	testenv.NeedsTrace(t)
	defer failsAs(t, nil)
	k := newRestoreWorld(t, verb)
	calls := k.touching()
	if len(calls) < 2*len(restorePaths) {
		t.Fatalf("a %s makes only these calls: %v", verb, calls)
	}
	points, between := 0, 0
	for i := 1; i < len(calls); i += testenv.Pick(1, 4, 1) {
		for _, how := range []string{"signal=KILL", "error=ENOSPC"}[:testenv.Pick(1, 1, 2)] {
			where := fmt.Sprint(how, " at ", calls[i])
			k.begin()
			hit, whole := k.interrupted(calls[i], how)
			if !hit {
				continue
			}
			points++
			if k.kept(where) {
				between++
			}
			k.finish(where, whole)
		}
	}
	t.Logf("%d points, %d of them between two files", points, between)
	if between == 0 { // strace counts by thread, and which thread makes a call differs
		t.Errorf("it was interrupted %d times, and never between two files: this test no longer knows the %s", points, verb)
	}
}

// restoreWorld is a repository in which an agent changed, made and deleted files, and then did it all again.
type restoreWorld struct {
	t     *testing.T
	world *world
	verb  string // restore, or revert: what follows the moment goes, which is its second prompt
	saved string
	moment,
	want string // what an undisturbed restore brings back
	was, then map[string]string // by path, before the restore and after it
}

var restorePaths = []string{"a.txt", "b.txt", "junk.txt", "link", "sub/new.txt", "tool"}

func newRestoreWorld(t *testing.T, verb string) *restoreWorld {
	t.Helper()
	k := &restoreWorld{t: t, verb: verb, world: newWorld(killDir(t), profile{process: true})}
	w := k.world
	dir := filepath.Join(w.root, "main")
	w.must(os.MkdirAll(dir, 0o755))
	w.trees = []string{dir}
	w.run(dir, "git", "init", "-q")
	w.must(os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o644))
	w.must(os.WriteFile(filepath.Join(dir, "b.txt"), []byte("by hand\n"), 0o644))
	w.run(dir, "git", "add", "-A")
	w.run(dir, "git", "commit", "-q", "-m", "base")
	w.run(dir, "git-trace", "init", "--agent", "claude-code")
	for _, step := range [][]string{
		{"prompt", "say more"}, {"edit", "a.txt", `two\n`, `two\nby ai\n`}, {"write", "sub/new.txt", `not tracked\n`},
		{"bash", "ln -s a.txt link; echo run >tool; chmod +x tool"}, {"stop"},
		{"prompt", "make it worse"},
		{"bash", "echo worse >a.txt; echo worse >>b.txt; rm sub/new.txt link; chmod -x tool; echo junk >junk.txt"}, {"stop"},
	} {
		w.run(dir, "agent", append([]string{"S1"}, step...)...)
	}
	k.saved = filepath.Join(w.root, "saved")
	w.run(w.root, "cp", "-a", dir, k.saved)
	trace := strings.Fields(w.run(dir, "git-trace", "log", "--oneline", "--color=never"))[0]
	k.moment, k.was = trace+"#2", k.files()
	w.run(dir, "git-trace", k.command()...)
	k.want, k.then = k.state(), k.files()
	return k
}

func (k *restoreWorld) dir() string { return k.world.trees[0] }

func (k *restoreWorld) command() []string {
	return slices.Concat([]string{k.verb, k.moment, "--"}, restorePaths)
}

// files is what stands in the paths; a link stands for its target.
func (k *restoreWorld) files() map[string]string {
	out := map[string]string{}
	for _, path := range restorePaths {
		name := filepath.Join(k.dir(), path)
		if target, err := os.Readlink(name); err == nil {
			out[path] = target
		} else if text, err := os.ReadFile(name); err == nil {
			out[path] = string(text)
		}
	}
	return out
}

// state is all that a restore may change: the files with their modes and owners, and what git makes of them.
func (k *restoreWorld) state() string {
	w, dir := k.world, k.dir()
	out := w.run(dir, "git", "status", "--porcelain", "--untracked-files=all") +
		w.run(dir, "find", ".", "-path", "./.git", "-prune", "-o", "!", "-type", "d", "-printf", "%p %m %l\n")
	lines := strings.Split(out, "\n")
	slices.Sort(lines)
	for _, path := range []string{"a.txt", "b.txt", "sub/new.txt", "tool"} {
		lines = append(lines, w.run(dir, "git-trace", "blame", path))
	}
	return strings.Join(lines, "\n")
}

func (k *restoreWorld) begin() { // in the same git directory: the user's list names it
	k.world.run(k.dir(), "find", ".", "-mindepth", "1", "!", "-path", "./.git", "-delete")
	k.world.run(k.world.root, "cp", "-a", k.saved+"/.", k.dir())
}

// nthCall is a system call by its name and its number among those that a thread makes.
type nthCall struct {
	name string
	n    int
}

// traced runs a restore under strace, and gives what strace wrote.
func (k *restoreWorld) traced(options ...string) (traced, out []byte, whole bool) {
	k.t.Helper()
	file := filepath.Join(k.world.root, "strace")
	cmd := exec.Command("strace", slices.Concat([]string{"-f", "-qq", "-o", file}, options, []string{"git-trace"},
		k.command())...)
	cmd.Dir, cmd.Env = k.dir(), append(k.world.env(), "GOMAXPROCS=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		k.world.must(err)
	}
	traced, failed := os.ReadFile(file)
	k.world.must(failed)
	return traced, out, err == nil
}

// touching lists the calls by which a restore changes files of the work tree, in their order.
func (k *restoreWorld) touching() []nthCall {
	k.begin()
	traced, out, whole := k.traced("-e", "trace=?renameat,?renameat2,?unlinkat,?linkat,?symlinkat")
	if !whole {
		k.t.Fatalf("a restore that nothing happened to: %s", out)
	}
	var calls []nthCall
	made := map[string]int{} // by thread and name
	for line := range strings.Lines(string(traced)) {
		thread, call, _ := strings.Cut(line, " ")
		name, _, is := strings.Cut(strings.TrimSpace(call), "(")
		if !is || strings.HasPrefix(name, "<") {
			continue
		}
		made[thread+name]++
		if strings.Contains(call, ".git-trace-") {
			calls = append(calls, nthCall{name, made[thread+name]})
		}
	}
	return calls
}

// interrupted runs a restore to which something happens at a call, if it still makes that call, and reports whether
// it succeeded all the same.
func (k *restoreWorld) interrupted(at nthCall, how string) (hit, whole bool) {
	traced, out, whole := k.traced("-e", "trace="+at.name, "-e", fmt.Sprintf("inject=%s:%s:when=%d", at.name, how, at.n))
	hit = injected(traced)
	if !hit && !whole {
		k.t.Errorf("a restore that nothing happened to: %s", out)
	}
	return hit, whole
}

// kept holds what was there against what there is: each file is as it was or as it comes back, and what it held is in
// the store of snapshots. It reports whether some files were restored and others not.
func (k *restoreWorld) kept(where string) (between bool) {
	now, changed := k.files(), 0
	for _, path := range restorePaths {
		switch text := now[path]; {
		case text == k.then[path]:
			changed++
		case text != k.was[path] && text != "":
			k.t.Errorf("%s: %s holds %q", where, path, text)
		}
		if text, was := k.was[path]; was && now[path] != text {
			cmd := exec.Command("git", "cat-file", "-p", k.hash(text))
			cmd.Dir = k.dir()
			cmd.Env = append(k.world.env(), "GIT_OBJECT_DIRECTORY="+filepath.Join(k.dir(), ".git", "traces", "objects"))
			if held, err := cmd.Output(); err != nil || string(held) != text {
				k.t.Errorf("%s: what %s held is kept nowhere: %v", where, path, err)
			}
		}
	}
	return changed > 0 && changed < len(restorePaths)
}

func (k *restoreWorld) hash(text string) string {
	cmd := exec.Command("git", "hash-object", "--stdin")
	cmd.Dir, cmd.Env, cmd.Stdin = k.dir(), k.world.env(), strings.NewReader(text)
	out, err := cmd.Output()
	k.world.must(err)
	return strings.TrimSpace(string(out))
}

// ended reports whether a restore had nothing left to do: a thread that strace did not count with may be killed after
// that.
func (k *restoreWorld) ended() bool {
	_, err := os.Lstat(filepath.Join(k.dir(), ".git", "traces", "restore"))
	return errors.Is(err, os.ErrNotExist) && maps.Equal(k.files(), k.then)
}

// finish runs the same restore again, and looks whether all is as after one that nothing happened to. Of one that
// succeeded, or had nothing left to do, the file that went cannot be named again.
func (k *restoreWorld) finish(where string, whole bool) {
	again := k.command()
	if whole || k.ended() {
		again = slices.DeleteFunc(again, func(word string) bool { return word == "junk.txt" })
	}
	if out, err := k.world.process(k.dir(), nil, "git-trace", again...); err != nil {
		k.t.Errorf("%s: again: %v: %s", where, err, out)
	}
	if got := k.state(); got != k.want {
		k.t.Errorf("%s, and again: there is\n%s\nwhere one run leaves\n%s", where, got, k.want)
	}
	if _, err := os.Stat(filepath.Join(k.dir(), ".git", "traces", "restore")); err == nil {
		k.t.Errorf("%s, and again: the stage is still there", where)
	}
	if out, err := k.world.process(k.dir(), nil, "git-trace", "verify"); err != nil {
		k.t.Errorf("%s, and again: verify: %v: %s", where, err, out)
	}
}
