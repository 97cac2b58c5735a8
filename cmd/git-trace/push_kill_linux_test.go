package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// A push is killed at each of its system calls that write, and those of the git that it starts. The next push sends all,
// and who reads it is told the same.
func TestAPushKilledAnywhereGoesOn(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	testenv.NeedsTrace(t)
	defer failsAs(t, nil)
	p := newPushWorld(t)
	points := 0
	for i, call := range append([]string{"openat", "fsync,fdatasync"}, killCalls...) {
		for when := testenv.Pick(1, 2+i, 1); ; when = testenv.Pick(when*6, when*6, when+1) {
			p.restore()
			if !p.killed(call, when) {
				break
			}
			points++
			p.check(fmt.Sprintf("killed at %s %d", call, when))
		}
	}
	t.Logf("%d points", points)
	if points < testenv.Pick(0, 4, 40) {
		t.Errorf("it was killed %d times: this test no longer knows the push", points)
	}
}

// pushWorld is a clone that is about to push its conversations, and its remote.
type pushWorld struct {
	t      *testing.T
	world  *world
	remote string
	want   string // what a reader is told
}

var pushing = []string{"push", "--to", "conversations", "origin"}

func newPushWorld(t *testing.T) *pushWorld {
	p := &pushWorld{t: t, world: newWorld(killDir(t), profile{process: true})}
	w := p.world
	dir := filepath.Join(w.root, "main")
	p.remote = filepath.Join(w.root, "remote.git")
	w.must(os.MkdirAll(dir, 0o755))
	w.trees = []string{dir}
	w.run(w.root, "git", "init", "-q", "--bare", p.remote)
	w.run(dir, "git", "init", "-q")
	w.run(dir, "git", "remote", "add", "origin", p.remote)
	w.must(os.WriteFile(filepath.Join(dir, "app.txt"), []byte("begin\nend\n"), 0o644))
	w.run(dir, "git", "add", "-A")
	w.run(dir, "git", "commit", "-q", "-m", "start")
	w.run(dir, "git-trace", "init", "--agent", "claude-code")
	(&purgeWorld{t: t, world: w}).agent("alpha", "prompt", "more of it")
	(&purgeWorld{t: t, world: w}).agent("alpha", "edit", "app.txt", `end\n`, `end\nmore\n`)
	(&purgeWorld{t: t, world: w}).agent("alpha", "stop")
	w.run(dir, "git-trace", "record")
	w.run(dir, "git", "commit", "-q", "-a", "-m", "by an agent")
	w.run(dir, "git", "push", "-q", "origin", "HEAD")
	for _, from := range []string{dir, p.remote} {
		w.run(w.root, "cp", "-a", from, from+".saved")
	}
	w.run(dir, "git-trace", pushing...)
	p.want = p.told()
	return p
}

// told is what a fresh clone is told.
func (p *pushWorld) told() string {
	w, fresh := p.world, filepath.Join(p.world.root, "fresh")
	w.must(os.RemoveAll(fresh))
	w.run(w.root, "git", "clone", "-q", p.remote, fresh)
	w.run(fresh, "git-trace", "pull", "--records", "origin")
	return w.run(fresh, "git-trace", "blame", "--prompts", "app.txt")
}

func (p *pushWorld) restore() {
	for _, to := range []string{p.world.trees[0], p.remote} { // in the same directory: the user's list names it
		p.world.run(to, "find", ".", "-mindepth", "1", "!", "-path", "./.git", "-delete")
		p.world.run(p.world.root, "cp", "-a", to+".saved/.", to)
	}
}

// killed runs a push in which one process dies at its n-th call of a kind; false when there are fewer.
func (p *pushWorld) killed(call string, n int) bool {
	trace := filepath.Join(p.world.root, "strace")
	cmd := exec.Command("strace", append([]string{"-f", "-qq", "-o", trace, "-e", "trace=" + call, "-e",
		fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n), "git-trace"}, pushing...)...)
	cmd.Dir, cmd.Env = p.world.trees[0], append(p.world.env(), "GOMAXPROCS=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.world.must(err)
	}
	traced, err := os.ReadFile(trace)
	p.world.must(err)
	hit := injected(traced)
	if !hit && exit != nil {
		p.t.Errorf("a push that nothing happened to: %v: %s", exit, out)
	}
	return hit
}

// check pushes again. What git leaves behind in a remote when it is killed is git's.
func (p *pushWorld) check(where string) {
	w, dir := p.world, p.world.trees[0]
	w.run(p.remote, "find", ".", "-name", "*.lock", "-delete")
	if out, err := w.process(dir, nil, "git-trace", "doctor", "--fix"); err != nil && !strings.Contains(out, "fixed") {
		p.t.Logf("%s: doctor: %v: %s", where, err, out)
	}
	if out, err := w.process(dir, nil, "git-trace", pushing...); err != nil {
		p.t.Errorf("%s: the next push: %v: %s", where, err, out)
		return
	}
	if got := p.told(); got != p.want {
		p.t.Errorf("%s: a reader is told\n%s\nand was told\n%s", where, got, p.want)
	}
	for _, repo := range []string{dir, p.remote} {
		if out, err := w.process(repo, nil, "git", "fsck", "--full", "--strict"); err != nil || strings.Contains(out, "missing") {
			p.t.Errorf("%s: git fsck in %s: %v: %s", where, repo, err, out)
		}
	}
	if out, err := w.process(dir, nil, "git-trace", "verify"); err != nil || !strings.HasPrefix(out, "consistent") {
		p.t.Errorf("%s: verify: %v: %s", where, err, out)
	}
}
