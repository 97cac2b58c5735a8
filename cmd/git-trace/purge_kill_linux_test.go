package main

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

const purgeWord = "xyzzy plugh"

// TestFoundPurgeKilledAnywhere: a purge ends at one of its system calls, killed, or because
// the disk is full, and is finished by the next purge, by doctor or by gc. Then the text is in no byte below .git, and
// nothing else is gone. In the full form that is every system call that changes something.
func TestFoundPurgeKilledAnywhere(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	testenv.NeedsTrace(t)
	defer failsAs(t, nil)
	w := newPurgeWorld(t)
	calls := append([]string{"openat", "fsync,fdatasync", "?fchmodat,?chmod"}, killCalls...)
	points := 0
	for i, call := range calls {
		for _, how := range []string{"signal=KILL", "error=ENOSPC"} {
			if how != "signal=KILL" && call != "write" && !testenv.Long() {
				continue
			}
			first := testenv.Pick(1, 2+i, 1)
			for when := first; ; when = testenv.Pick(when*6, when*12, when+1) {
				where := fmt.Sprintf("%s at %s %d", how, call, when)
				w.restore()
				if !w.interrupted(call, how, when) {
					break
				}
				points++
				w.finish(points)
				w.check(where)
			}
		}
	}
	t.Logf("%d points", points)
	if points < testenv.Pick(0, len(calls)/2, len(calls)) { // strace counts by thread, and which thread makes a call differs
		t.Errorf("it was interrupted %d times: this test no longer knows the purge", points)
	}
}

// purgeWorld is a repository in which the word stands wherever git-trace keeps something.
type purgeWorld struct {
	t     *testing.T
	world *world
	saved string
	want  string // what must stay as it is
}

func newPurgeWorld(t *testing.T) *purgeWorld {
	p := &purgeWorld{t: t, world: newWorld(killDir(t), profile{process: true})}
	w := p.world
	dir := filepath.Join(w.root, "main")
	w.must(os.MkdirAll(dir, 0o755))
	w.trees = []string{dir}
	w.run(dir, "git", "init", "-q")
	w.must(os.WriteFile(filepath.Join(dir, "app.txt"), []byte("begin\nend\n"), 0o644))
	w.run(dir, "git", "add", "-A")
	w.run(dir, "git", "commit", "-q", "-m", "start")
	w.run(dir, "git-trace", "init", "--agent", "claude-code")
	p.agent("alpha", "prompt", "the word is "+purgeWord)
	p.agent("alpha", "write", "plan.txt", `one\n`+purgeWord+`\n`)
	p.agent("alpha", "edit", "app.txt", `end\n`, `end\nmore\n`)
	p.agent("alpha", "stop")
	w.run(dir, "git-trace", "record")
	p.agent("bravo", "prompt", "something else")
	p.agent("bravo", "edit", "app.txt", `more\n`, `more and more\n`)
	p.agent("bravo", "stop")
	w.run(dir, "git-trace", "record")
	w.run(dir, "git", "repack", "-q", "-a", "-d") // of both stores a part is packed
	w.run(dir, "git-trace", "gc")
	p.agent("alpha", "write", "plan.txt", `one\n`+purgeWord+` again\n`)
	p.agent("alpha", "stop")
	w.run(dir, "git-trace", "record")
	p.agent("alpha", "prompt", "a prompt in no record: "+purgeWord)
	p.unreached()
	p.saved = filepath.Join(w.root, "saved")
	w.run(w.root, "cp", "-a", dir, p.saved)
	p.want = p.rest()
	return p
}

func (p *purgeWorld) dir() string { return p.world.trees[0] }

func (p *purgeWorld) agent(args ...string) {
	p.world.run(p.dir(), "env", append([]string{"TRANSCRIPTS=1", "agent"}, args...)...)
	p.alone()
}

// alone waits for the processes that hooks leave behind: one that lived on would record what a later step says, and
// would hold a lock whose file restore replaces.
func (p *purgeWorld) alone() { p.world.must(untilAlone(p.dir())) }

// unreached makes a version of an unreachable record, as an interrupted purge of earlier versions left it,
// with its tree and its commit, and a content of the user's that nothing leads to either.
func (p *purgeWorld) unreached() {
	w, dir := p.world, p.dir()
	path := strings.Fields(w.run(dir, "git", "ls-tree", "-r", "--name-only", "refs/traces/records"))[0]
	record := w.run(dir, "git", "cat-file", "-p", "refs/traces/records:"+path)
	store := func(input string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, w.env(), strings.NewReader(input)
		out, err := cmd.Output()
		w.must(err)
		return strings.TrimSpace(string(out))
	}
	blob := store(strings.Replace(record, `"content":"`, `"content":"once `+purgeWord+` `, 1), "hash-object", "-w", "--stdin")
	folder := store("100644 blob "+blob+"\t"+filepath.Base(path)+"\n", "mktree")
	tree := store("040000 tree "+folder+"\t"+filepath.Dir(path)+"\n", "mktree")
	first := store("records: 1 stored\n", "commit-tree", tree)
	store("records: 1 stored\n", "commit-tree", tree, "-p", first)
	store("nobody leads here\n", "hash-object", "-w", "--stdin")
}

// rest is what must be the same after any purge of the word: what the user has, the other conversation, a content of
// theirs.
func (p *purgeWorld) rest() string {
	w, dir := p.world, p.dir()
	var out strings.Builder
	out.WriteString(w.run(dir, "git", "rev-parse", "HEAD"))
	out.WriteString(w.run(dir, "git", "status", "--porcelain"))
	for line := range strings.Lines(w.run(dir, "git", "ls-tree", "-r", "refs/traces/records")) {
		if !strings.Contains(w.run(dir, "git", "cat-file", "-p", strings.Fields(line)[2]), `"session_id":"alpha"`) {
			out.WriteString(line)
		}
	}
	out.WriteString(w.run(dir, "git", "cat-file", "-p", strings.TrimSpace(w.hash("nobody leads here\n"))))
	out.WriteString(w.run(dir, "git-trace", "blame", "app.txt"))
	return out.String()
}

func (w *world) hash(content string) string {
	cmd := exec.Command("git", "hash-object", "--stdin")
	cmd.Dir, cmd.Env, cmd.Stdin = w.trees[0], w.env(), strings.NewReader(content)
	out, err := cmd.Output()
	w.must(err)
	return string(out)
}

func (p *purgeWorld) restore() { // in the same git directory: the user's list names it
	p.world.run(p.dir(), "find", ".", "-mindepth", "1", "!", "-path", "./.git", "-delete")
	p.world.run(p.world.root, "cp", "-a", p.saved+"/.", p.dir())
}

// interrupted runs a purge to which something happens at its n-th call of a kind; false when it has fewer.
func (p *purgeWorld) interrupted(call, how string, n int) bool {
	cmd := exec.Command("strace", "-f", "-qq", "-o", filepath.Join(p.world.root, "strace"), "-e", "trace="+call,
		"-e", fmt.Sprintf("inject=%s:%s:when=%d", call, how, n), "git-trace", "purge", "--text", purgeWord, "--yes")
	cmd.Dir, cmd.Env = p.dir(), append(p.world.env(), "GOMAXPROCS=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.world.must(err)
	}
	traced, err := os.ReadFile(filepath.Join(p.world.root, "strace"))
	p.world.must(err)
	hit := injected(traced)
	if !hit && (exit != nil || !strings.HasPrefix(string(out), "purged\n")) {
		p.t.Errorf("a purge that nothing happened to: %v: %s", exit, out)
	}
	return hit
}

// injected tells by what strace wrote whether the fault came to a call.
func injected(traced []byte) bool {
	return bytes.Contains(traced, []byte("INJECTED")) || bytes.Contains(traced, []byte("killed by SIGKILL"))
}

// finish lets one of those that finish a purge finish it. What was interrupted before anything was written down has to
// be begun again.
func (p *purgeWorld) finish(n int) {
	again := []string{"purge", "--text", purgeWord, "--yes"}
	if plans, _ := filepath.Glob(filepath.Join(p.dir(), ".git", "traces", "purge", "*.plan")); len(plans) > 0 {
		if out, err := p.world.process(p.dir(), nil, "git-trace", "verify"); err != nil || !strings.Contains(out, "a purge was interrupted") {
			p.t.Errorf("verify does not tell of the interrupted purge: %v: %s", err, out)
		}
		again = [][]string{again, {"doctor", "--fix"}, {"gc"}}[n%3]
	}
	if out, err := p.world.process(p.dir(), nil, "git-trace", again...); err != nil {
		p.t.Errorf("git-trace %v: %v: %s", again, err, out)
	}
}

// check holds what is there against what must be.
func (p *purgeWorld) check(where string) {
	w, dir := p.world, p.dir()
	for _, place := range wordsIn(p.t, filepath.Join(dir, ".git"), purgeWord) {
		p.t.Errorf("%s: the text is still in %s", where, place)
	}
	if got := p.rest(); got != p.want {
		p.t.Errorf("%s: there is\n%s\nwhere there was\n%s", where, got, p.want)
	}
	if out, err := w.process(dir, nil, "git", "fsck", "--full", "--strict"); err != nil || strings.Contains(out, "missing") || strings.Contains(out, "broken") {
		p.t.Errorf("%s: git fsck: %v: %s", where, err, out)
	}
	if out, err := w.process(dir, nil, "git-trace", "verify"); err != nil || !strings.HasPrefix(out, "consistent") || strings.Contains(out, "interrupted") {
		p.t.Errorf("%s: verify: %v: %s", where, err, out)
	}
	if out := w.run(dir, "git-trace", "events", "--type", "log_purged"); out == "" {
		p.t.Errorf("%s: the log does not tell of it", where)
	}
	out := w.run(dir, "git-trace", "show", "--markdown", "5756") // what the record has, no line of it cut
	for _, part := range []string{"the word is [REDACTED:purged]", "plan.txt", "**Edit**", "app.txt", "[REDACTED:purged] again"} {
		if !strings.Contains(out, part) {
			p.t.Errorf("%s: the conversation is without %q:\n%s", where, part, out)
		}
	}
}

// wordsIn lists where a text stands below a git directory: in files, in objects, loose and packed, and in what was left
// half written.
func wordsIn(t *testing.T, dir, word string) []string {
	t.Helper()
	var out []string
	for name, raw := range contentsBelow(t, dir) {
		if strings.Contains(raw, word) {
			out = append(out, name)
		}
		if z, err := zlib.NewReader(strings.NewReader(raw)); err == nil {
			if content, _ := io.ReadAll(z); bytes.Contains(content, []byte(word)) {
				out = append(out, name+", inflated")
			}
		}
		if stem, is := strings.CutSuffix(name, ".pack"); is {
			if _, err := os.Stat(stem + ".idx"); err != nil {
				out = append(out, name+", perhaps: it has no index")
			}
		}
	}
	slices.Sort(out)
	repo, err := refs.Discover(filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, store := range []string{repo.MainObjects(), repo.SideObjects()} {
		all, err := repo.ListObjects(t.Context(), store)
		if err != nil {
			t.Fatal(err)
		}
		objects := repo.Objects()
		for _, o := range all {
			if _, raw, err := objects.Read(o.OID); err != nil || bytes.Contains(raw, []byte(word)) {
				out = append(out, fmt.Sprintf("%s %s of %s (%v)", o.Type, o.OID, store, err))
			}
		}
		_ = objects.Close()
	}
	return out
}
