package snapshot

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// TestRandomWorkIsSeenAsGitSeesIt lets a work tree live through random steps; after each, the snapshot must be git's
// tree. GITTRACE_LONG=1 makes it long, GITTRACE_SEED=N makes it start elsewhere.
func TestRandomWorkIsSeenAsGitSeesIt(t *testing.T) {
	t.Parallel()
	first, seeds, steps := 0, 6, 60
	if os.Getenv("GITTRACE_LONG") != "" {
		seeds, steps = 8, 2000
		if from, err := strconv.Atoi(os.Getenv("GITTRACE_SEED")); err == nil {
			first = from
		}
	}
	if testenv.Quick() {
		seeds, steps = 2, 30
	}
	for seed := first; seed < first+seeds; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			w := newWorker(t, uint64(seed))
			own, byGit, heard := w.watch("own", false), w.watch("git", true), w.listen("heard")
			comes := rand.New(rand.NewPCG(uint64(seed), 8))
			for step := range steps {
				path := w.step()
				w.log = append(w.log, fmt.Sprintf("%d: %s", step, w.did))
				want := w.wantTree()
				if path != "" && !own.last.IsZero() && w.rnd.IntN(3) == 0 && !w.inner(path) {
					own.checkScoped(w.lastLines(), path, want)
				}
				own.check(w.lastLines(), want)
				heard.check(w.lastLines(), want)
				heard.comesAndGoes(comes)
				if step%6 == 5 {
					byGit.check(w.lastLines(), want)
				}
			}
			if heard.relied < heard.able/4 {
				t.Errorf("%d of %d snapshots relied on the monitor", heard.relied, heard.able)
			}
		})
	}
}

// worker does random things to a work tree.
type worker struct {
	*sandbox
	rnd *rand.Rand
	did string
	log []string
}

func newWorker(t *testing.T, seed uint64) *worker {
	w := &worker{sandbox: newSandbox(t), rnd: rand.New(rand.NewPCG(seed, 7))}
	w.git("config", "filter.up.clean", "tr a-m A-M")
	for range 12 {
		path := w.anyPath()
		w.place(path, func() { w.write(path, w.content()) })
	}
	w.commit("start")
	w.git("branch", "side")
	return w
}

func (w *worker) lastLines() string {
	return "\n" + strings.Join(w.log[max(0, len(w.log)-60):], "\n") + "\n"
}

func (w *worker) pick(list ...string) string { return list[w.rnd.IntN(len(list))] }

func (w *worker) anyDir() string {
	return w.pick("", "", "d", "d/e", "d/e/f", "g", "g h", "build", "d/build")
}

func (w *worker) anyPath() string {
	return join(w.anyDir(), w.pick("a", "b", "c.o", "k.txt", "x.log", "é", "e", "z.up", "build", "d"))
}

func (w *worker) content() string {
	line := w.pick("alpha", "beta", "gamma", "delta") + fmt.Sprint(w.rnd.IntN(10))
	return strings.Repeat(line+w.pick("\n", "\n", "\r\n"), 1+w.rnd.IntN(3))
}

// existing is a random file or link of the work tree, "" if there is none.
func (w *worker) existing() string {
	var paths []string
	w.must(filepath.WalkDir(w.dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git":
			return filepath.SkipDir
		case !d.IsDir():
			rel, _ := filepath.Rel(w.dir, path)
			paths = append(paths, filepath.ToSlash(rel))
		}
		return nil
	}))
	if len(paths) == 0 {
		return ""
	}
	return paths[w.rnd.IntN(len(paths))]
}

// step does one thing and returns the path it did it to, if it was a change of one path in the work tree alone.
func (w *worker) step() string {
	if w.rnd.IntN(100) < 65 {
		return w.change()
	}
	switch n := w.rnd.IntN(100); {
	case n < 42:
		w.rule()
	case n < 48:
		w.embed()
	default:
		w.command()
	}
	return ""
}

// inner tells whether a path lies in a repository of its own. What git makes of a single path there hangs on more than
// the path; the snapshot of everything that follows must have it right.
func (w *worker) inner(path string) bool {
	for dir := parentPath(path); dir != ""; dir = parentPath(dir) {
		if _, err := os.Lstat(w.path(dir + "/.git")); err == nil {
			return true
		}
	}
	return false
}

// embed makes a directory a repository of its own, with a commit or without one, or a plain directory again.
func (w *worker) embed() {
	dir := w.pick("g", "d/e", "build", "d/build", "k")
	inner := join(dir, ".git")
	if _, err := os.Lstat(w.path(inner)); err == nil {
		w.did = "no repository any more: " + dir
		w.must(os.RemoveAll(w.path(inner)))
		return
	}
	w.place(dir+"/a", func() { w.write(dir+"/a", w.content()) })
	w.git("init", "-q", dir)
	w.did = "repository without a commit: " + dir
	if w.rnd.IntN(3) > 0 {
		w.did = "repository: " + dir
		w.git("-C", dir, "add", "-f", "a")
		w.git("-C", dir, "commit", "-q", "-m", "inner")
	}
}

func (w *worker) change() string {
	path := w.existing()
	kind := w.rnd.IntN(12)
	if path == "" || kind < 4 {
		path = w.anyPath()
		w.did = "write " + path
		w.place(path, func() { w.write(path, w.content()) })
		return path
	}
	full := w.path(path)
	info, err := os.Lstat(full)
	w.must(err)
	regular := info.Mode().IsRegular()
	switch {
	case kind < 6 && regular:
		w.did = "edit in place " + path
		old, err := os.ReadFile(full)
		w.must(err)
		for i := range old {
			if old[i] >= 'a' && old[i] < 'z' {
				old[i]++
				break
			}
		}
		f, err := os.OpenFile(full, os.O_WRONLY, 0)
		w.must(err)
		_, err = f.Write(old)
		w.must(err)
		w.must(f.Close())
	case kind == 6 && regular:
		w.did = "append " + path
		w.must(appendFile(full, w.content()))
	case kind == 7 && regular:
		w.did = "chmod " + path
		w.must(os.Chmod(full, info.Mode().Perm()^0o111))
	case kind == 8:
		w.did = "link " + path
		w.remove(path)
		w.symlink(w.pick("a", "d", "nowhere", "../x"), path)
	case kind == 9:
		w.did = "directory at " + path
		w.remove(path)
		w.write(path+"/"+w.pick("a", "b", "c.o"), w.content())
	case kind == 10:
		to := w.anyPath()
		w.did = "rename " + path + " to " + to
		if strings.HasPrefix(to+"/", path+"/") || strings.HasPrefix(path+"/", to+"/") {
			return ""
		}
		w.place(to, func() { w.must(os.Rename(full, w.path(to))) })
		return ""
	default:
		w.did = "delete " + path
		w.remove(path)
	}
	return path
}

// place makes room for a path: what stands in the way, a file above or a directory there, goes.
func (w *worker) place(path string, do func()) {
	for i := range len(path) {
		if path[i] == '/' {
			if info, err := os.Lstat(w.path(path[:i])); err == nil && !info.IsDir() {
				w.remove(path[:i])
			}
		}
	}
	if w.rnd.IntN(2) == 0 {
		w.remove(path)
	} else if info, err := os.Lstat(w.path(path)); err == nil && !info.Mode().IsRegular() {
		w.remove(path)
	}
	w.mkdir(filepath.Dir(path))
	do()
}

func (w *worker) rule() {
	dir := w.anyDir()
	if info, err := os.Lstat(w.path(dir)); err != nil || !info.IsDir() {
		dir = ""
	}
	name := join(dir, ".gitignore")
	switch w.rnd.IntN(9) {
	case 0, 1, 2:
		text := ""
		for range 1 + w.rnd.IntN(3) {
			text += w.pick("*.o", "build/", "!c.o", "/e", "d/*", "!d/e", "*.log", "é", "a", ".gitignore", "build") + "\n"
		}
		w.did = fmt.Sprintf("write %s %q", name, text)
		w.place(name, func() { w.write(name, text) })
	case 3:
		w.did = "delete " + name
		w.remove(name)
	case 4:
		text := w.pick("", "*.log\n", "g h/\n", "a\n")
		w.did = fmt.Sprintf("write info/exclude %q", text)
		w.must(os.WriteFile(w.path(".git/info/exclude"), []byte(text), 0o600))
	case 5, 6:
		name = join(dir, ".gitattributes")
		text := w.pick("*.txt text\n", "* text=auto\n", "*.up filter=up\n", "*.o -text\n*.up -filter\n", "a ident\n")
		w.did = fmt.Sprintf("write %s %q", name, text)
		w.place(name, func() { w.write(name, text) })
	case 7:
		value := w.pick("true", "input", "false")
		w.did = "core.autocrlf " + value
		w.git("config", "core.autocrlf", value)
	case 8:
		w.did = "nothing"
	}
}

func (w *worker) command() {
	path := w.existing()
	if path == "" {
		path = "."
	}
	list := [][]string{
		{"add", "-A"}, {"add", "--", path}, {"add", "-f", "--", path}, {"add", "-N", "--", path}, {"commit", "-qam", "c"},
		{"rm", "-q", "--cached", "-f", "--", path}, {"reset", "-q"}, {"reset", "-q", "--hard"}, {"stash", "-q"},
		{"stash", "-q", "-u"}, {"stash", "pop", "-q"}, {"checkout", "-q", "-f", "side"}, {"checkout", "-q", "main"},
		{"checkout", "-q", "--", path}, {"merge", "-q", "side"}, {"merge", "--abort"}, {"clean", "-fdq"}, {"status"},
		{"mv", "--", path, "moved" + fmt.Sprint(w.rnd.IntN(3))}, {"update-index", "--refresh"}, {"gc", "-q", "--prune=now"},
	}
	args := list[w.rnd.IntN(len(list))]
	if args[0] == "commit" {
		_, _ = w.tryGit("add", "-A") // which a repository without a commit in the work tree makes fail
	}
	_, err := w.tryGit(args...)
	w.did = fmt.Sprintf("git %q: %v", args, err)
	if w.rnd.IntN(4) == 0 {
		time.Sleep(30 * time.Millisecond) // so that some stamps are beyond doubt
	}
}

// checkScoped takes a scoped snapshot of one path: there it must be git's tree, elsewhere the last one.
func (w *watcher) checkScoped(label, path, want string) {
	w.Helper()
	e := w.open()
	snap, err := e.Scoped(context.Background(), []string{path})
	if err != nil {
		w.Fatalf("%s: scoped to %s: %v", label, path, err)
	}
	w.must(e.Save())
	w.checkSaved(e)
	w.checkChanges(label+" scoped", snap)
	inside := func(line string) bool {
		_, p, _ := strings.Cut(line, "\t")
		return p == path || strings.HasPrefix(p, path+"/")
	}
	inTheWay := func(line string) bool {
		_, p, _ := strings.Cut(line, "\t")
		return strings.HasPrefix(path, p+"/")
	}
	git := w.flat(want)
	got, last := w.flat(snap.Tree.String()), w.flat(w.last.String())
	gotIn, wantIn := filter(got, inside), filter(git, inside)
	outside := func(line string) bool { return !inside(line) && !inTheWay(line) }
	gotOut, lastOut := filter(got, outside), filter(last, outside)
	if !slices.Equal(gotIn, wantIn) || !slices.Equal(gotOut, lastOut) {
		w.Fatalf("%s: scoped to %s (%s):\ninside %s\noutside %s", label, path, snap.Method, difference(gotIn, wantIn), difference(gotOut, lastOut))
	}
	w.last = snap.Tree
}

// difference shows what two lists do not share: "+" only the first has, "-" only the second.
func difference(got, want []string) string {
	text := ""
	for _, line := range got {
		if !slices.Contains(want, line) {
			text += "\n+" + line
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			text += "\n-" + line
		}
	}
	return text
}

func filter(lines []string, keep func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !keep(l) })
}

// flat lists a tree, which may be the reference's and then is in no store: it is asked for with the blobs' ids alone.
func (w *watcher) flat(tree string) []string {
	w.Helper()
	cmd := w.repo.Command(context.Background(), "ls-tree", "-r", "-z", tree)
	cmd.Env = append(cmd.Env, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+w.repo.SideObjects()+":"+w.reference)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("git ls-tree: %v: %s", err, out)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}
