package blame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// ways counts how answers were found.
type ways struct{ recalled, composed, full, uncached int }

// find tells how the cache would answer now, and leaves the cache as it was.
func (r *repo) find(t *testing.T, args ...string) string {
	t.Helper()
	opts, err := Parse(args)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSession(context.Background(), r.discover(r.dir), r.dir, opts, &knows{})
	if err != nil {
		t.Fatal(err)
	}
	dir, copied := cacheDir(s.repo), t.TempDir()
	if _, err := os.Stat(dir); err == nil {
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	defer func() {
		s.background.Wait()
		if err := errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(copied))); err != nil {
			t.Fatal(err)
		}
	}()
	s.settings = later(s, s.readSettings)
	q, ok := s.inquiry(opts.Format)
	if !ok {
		return "uncached"
	}
	k := load(q.repo, q.path, q.context)
	if a, _ := q.recall(k); a != nil {
		return "recalled"
	}
	if a, _ := q.bounded(k); a != nil {
		return "composed"
	}
	return "full"
}

// compare blames with git and with the cache as it is, in git's own formats, and against an empty cache in ours.
func (r *repo) compare(t *testing.T, formats []string, args ...string) {
	t.Helper()
	for _, format := range formats {
		words := append([]string{format}, args...)
		got, err := r.blame(r.dir, &knows{}, Style{}, words...)
		if format == "--porcelain" || format == "--line-porcelain" {
			want, code := r.try(r.dir, "", append([]string{"blame"}, words...)...)
			if code != 0 {
				if err == nil {
					t.Errorf("%s: git fails, we print\n%s", words, got)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", words, err)
				continue
			}
			want, got = clock.ReplaceAllString(want, "$1"), clock.ReplaceAllString(got, "$1")
			if stripped := traceLine.ReplaceAllString(got, ""); stripped != want {
				t.Fatalf("%s: differs from git's\n--- git\n%s\n--- ours\n%s", words, want, stripped)
			}
			continue
		}
		want, wantErr := r.cold(t, words...)
		if got != want || (err == nil) != (wantErr == nil) {
			t.Fatalf("%s: differs from a blame without a cache\n--- without\n%s%v\n--- with\n%s%v", words, want, wantErr, got, err)
		}
	}
}

// cold blames with an empty cache, and leaves the cache as it was.
func (r *repo) cold(t *testing.T, args ...string) (string, error) {
	t.Helper()
	dir := cacheDir(r.discover(r.dir))
	aside := dir + ".aside"
	if err := os.Rename(dir, aside); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	out, err := r.blame(r.dir, &knows{}, Style{}, args...)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(aside, dir); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return out, err
}

func TestEveryFormIsAnsweredAlikeWithAndWithoutTheCache(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"--porcelain", "--line-porcelain"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			r := history(t)
			comparePassThrough(t, r, format, forms)
			comparePassThrough(t, r, format, forms)
			if way := r.find(t, "--porcelain", "HEAD", "--", "sub.go"); way != "recalled" {
				t.Errorf("a second blame is %s", way)
			}
			if way := r.find(t, "--porcelain", "other.txt"); way != "recalled" {
				t.Errorf("a second blame of the work tree is %s", way)
			}
		})
	}
	t.Run("our own formats", func(t *testing.T) {
		t.Parallel()
		r := history(t)
		r.write("grafts", r.graft())
		for _, format := range []string{"--json", "--prompts", "--date=iso", "-c", "--only-ai"} {
			for _, form := range forms {
				if form.dir != "" || strings.Contains(form.args, "LINK") || strings.Contains(form.args, "ABS") {
					continue
				}
				args := split(strings.ReplaceAll(form.args, "{}", format))
				want, wantErr := r.cold(t, args...)
				for range 2 {
					got, err := r.blame(r.dir, &knows{}, Style{}, args...)
					if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
						t.Errorf("%s\n--- without\n%s%v\n--- with\n%s%v", args, want, wantErr, got, err)
					}
				}
			}
		}
		if way := r.find(t, "--json", "sub.go"); way != "recalled" {
			t.Errorf("a second blame of a changed file is %s", way)
		}
		if way := r.find(t, "--porcelain", "sub.go"); way != "composed" {
			t.Errorf("a changed file in a format that has the time of day is %s", way)
		}
	})
	t.Run("SHA-256", func(t *testing.T) {
		t.Parallel()
		r := history(t, "--object-format=sha256")
		comparePassThrough(t, r, "--porcelain", forms[:40])
		comparePassThrough(t, r, "--porcelain", forms[:40])
		if way := r.find(t, "HEAD", "--", "sub.go"); way != "recalled" {
			t.Errorf("a second blame is %s", way)
		}
	})
}

// A long history with everything that moves lines and commits about. After each step some file is blamed, so that what
// is kept is of all ages, and some answers are about commits that are gone.
func TestAnswersOverALongHistoryAreGits(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			steps := 150
			if testing.Short() {
				steps = 40
			}
			h := newHistorian(t, seed)
			for step := range steps {
				h.step(step)
				file := h.files()[h.rng.IntN(len(h.files()))]
				args := []string{"--", file}
				switch h.rng.IntN(5) {
				case 0:
					args = []string{"HEAD", "--", file}
				case 1:
					args = []string{fmt.Sprintf("HEAD~%d", h.rng.IntN(6)), "--", file}
				case 2:
					args = []string{"-L2,5", "--", file}
				}
				h.count(h.find(t, append([]string{"--porcelain"}, args...)...))
				h.compare(t, []string{"--porcelain", "--line-porcelain", "--json"}[step%3:][:1], args...)
			}
			t.Logf("%+v", h.ways)
			if !testing.Short() && (h.recalled < steps/20 || h.composed < steps/20 || h.full < steps/20) {
				t.Errorf("not all ways were gone: %+v", h.ways)
			}
		})
	}
}

// historian makes history.
type historian struct {
	*repo
	ways
	rng    *rand.Rand
	number int // of lines and names made
	side   int // branches made
}

func newHistorian(t *testing.T, seed uint64) *historian {
	h := &historian{repo: newRepo(t), rng: rand.New(rand.NewPCG(seed, 1))}
	for i := range 3 {
		var text strings.Builder
		for range 12 {
			text.WriteString(h.line())
		}
		h.write(fmt.Sprintf("f%d", i), text.String())
	}
	h.commit("root")
	return h
}

func (w *ways) count(way string) {
	switch way {
	case "recalled":
		w.recalled++
	case "composed":
		w.composed++
	case "full":
		w.full++
	default:
		w.uncached++
	}
}

func (h *historian) line() string {
	h.number++
	if h.rng.IntN(4) == 0 {
		return "}\n" // a line that is there many times
	}
	return fmt.Sprintf("line %d of %x\n", h.number, h.rng.Uint32())
}

func (h *historian) files() []string {
	return strings.Fields(h.git("ls-files"))
}

// edit changes a few lines of a file of the work tree, or of another one if it is gone.
func (h *historian) edit(file string) {
	if files := h.files(); !slices.Contains(files, file) {
		file = files[h.rng.IntN(len(files))]
	}
	lines := strings.SplitAfter(h.read(file), "\n")
	for range 1 + h.rng.IntN(3) {
		at := h.rng.IntN(len(lines))
		switch h.rng.IntN(4) {
		case 0:
			lines = append(lines[:at:at], append([]string{h.line(), h.line()}, lines[at:]...)...)
		case 1:
			lines[at] = h.line()
		case 2:
			if len(lines) > 4 {
				lines = append(lines[:at:at], lines[at+1:]...)
			}
		default:
			lines = append(lines[:at:at], append([]string{h.line()}, lines[at:]...)...)
		}
	}
	h.write(file, strings.Join(lines, ""))
}

func (h *historian) step(n int) {
	files := h.files()
	file := files[h.rng.IntN(len(files))]
	switch h.rng.IntN(16) {
	case 0:
		h.number++
		name := fmt.Sprintf("d%d/f%d", h.number%3, h.number)
		if err := os.MkdirAll(filepath.Dir(filepath.Join(h.dir, name)), 0o777); err != nil {
			h.t.Fatal(err)
		}
		h.git("mv", file, name)
		h.commit("rename")
	case 1, 2: // a branch from a while ago, merged
		h.side++
		branch := fmt.Sprintf("side%d", h.side)
		back := h.rng.IntN(8)
		if _, code := h.try(h.dir, "", "checkout", "-q", "-f", "-b", branch, fmt.Sprintf("HEAD~%d", back)); code != 0 {
			return
		}
		for range 1 + h.rng.IntN(3) {
			files := h.files()
			h.edit(files[h.rng.IntN(len(files))])
			h.commit("side")
		}
		h.git("checkout", "-q", "-f", "main")
		strategy := []string{"-Xours", "-Xtheirs"}[h.rng.IntN(2)]
		h.tick++
		if _, code := h.try(h.dir, "", "merge", "-q", "--no-ff", strategy, "-m", "merge", branch); code != 0 {
			h.git("merge", "--abort")
		}
	case 3: // the last commits are written anew
		if _, code := h.try(h.dir, "", "rev-parse", "-q", "--verify", "HEAD~3"); code != 0 {
			return
		}
		h.git("reset", "-q", "--hard", "HEAD~2")
		h.edit(file)
		h.commit("instead")
		h.tick++
		h.try(h.dir, "", "cherry-pick", "-Xtheirs", "ORIG_HEAD")
		h.try(h.dir, "", "cherry-pick", "--abort")
		h.git("reset", "-q", "--hard")
	case 4:
		h.edit(file)
		h.tick++
		h.git("commit", "-q", "-a", "--amend", "-m", "amended")
	case 5:
		h.git("checkout", "-q", "-f", "--detach", fmt.Sprintf("HEAD~%d", h.rng.IntN(2)))
		h.edit(file)
		h.commit("detached")
		h.git("checkout", "-q", "-B", "main")
	case 6: // content as it was before
		if _, code := h.try(h.dir, "", "revert", "--no-edit", "HEAD"); code != 0 {
			h.try(h.dir, "", "revert", "--abort")
			h.git("reset", "-q", "--hard")
		}
	case 7:
		h.edit(file) // not committed
	case 8:
		if n%4 == 0 {
			h.git("gc", "-q", "--prune=now")
			return
		}
		h.git("checkout", "-q", "-f", "HEAD")
	case 9: // a commit of another time
		tick := h.tick
		h.tick = h.rng.IntN(tick + 1)
		h.edit(file)
		h.commit("clock set back")
		h.tick = tick
	default:
		h.edit(file)
		h.commit("edit")
	}
}

func TestWhatChangesGitsAnswerChangesOurs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(r *repo)
		warm   string // how it is answered afterwards, if that is to be held
	}{
		{"nothing", func(*repo) {}, "recalled"},
		{"a mailmap", func(r *repo) { r.write(".mailmap", "New Name <new@example.com> <author@example.com>\n") }, "full"},
		{"a mailmap elsewhere", func(r *repo) {
			r.write("names", "Other <other@example.com> <author@example.com>\n")
			r.git("config", "mailmap.file", "names")
		}, "full"},
		{"a mailmap in a blob", func(r *repo) {
			r.write("names", "Blob <blob@example.com> <author@example.com>\n")
			r.git("add", "names")
			r.git("config", "mailmap.blob", ":names")
		}, "uncached"},
		{"a replaced commit", func(r *repo) { r.git("replace", "HEAD~1", "HEAD~3") }, "uncached"},
		{"a replaced commit, packed", func(r *repo) {
			r.git("replace", "HEAD~1", "HEAD~3")
			r.git("pack-refs", "--all")
		}, "uncached"},
		{"a graft", func(r *repo) { r.write(".git/info/grafts", r.graft()) }, "uncached"},
		{"ignored revisions", func(r *repo) {
			r.write("revs", r.head().String()+"\n")
			r.git("config", "blame.ignoreRevsFile", "revs")
		}, "uncached"},
		{"blame.showRoot", func(r *repo) { r.git("config", "blame.showRoot", "true") }, "full"},
		{"an included configuration", func(r *repo) {
			r.write(".git/more", "[blame]\n\tshowRoot = true\n")
			r.git("config", "include.path", "more")
		}, "full"},
		{"a configuration for a branch", func(r *repo) {
			r.write(".git/more", "[blame]\n\tshowRoot = true\n")
			r.git("config", "includeIf.onbranch:topic.path", "more")
			r.git("checkout", "-q", "-b", "topic")
		}, "full"},
		{"a configuration of the work tree", func(r *repo) {
			r.git("config", "extensions.worktreeConfig", "true")
			r.git("config", "--worktree", "blame.showRoot", "true")
		}, "full"},
		{"an encoding", func(r *repo) { r.git("config", "i18n.logOutputEncoding", "ISO-8859-1") }, "full"},
		{"a setting of no concern", func(r *repo) { r.git("config", "branch.main.remote", "origin") }, "recalled"},
		{"text conversion", func(r *repo) {
			r.git("config", "diff.up.textconv", "tr a-z A-Z <")
			r.write(".gitattributes", "f diff=up\n")
		}, "uncached"},
		{"a filter", func(r *repo) {
			r.git("config", "filter.up.clean", "tr a-z A-Z")
			r.write(".gitattributes", "f filter=up\n")
		}, ""},
		{"a filter without a program", func(r *repo) { r.write(".gitattributes", "f filter=up\n") }, ""},
		{"a filter for other files", func(r *repo) { r.write(".gitattributes", "*.bin filter=lfs\n") }, "recalled"},
		{"a keyword", func(r *repo) { r.write(".gitattributes", "f ident\n") }, ""},
		{"line ends", func(r *repo) { r.write(".gitattributes", "* text=auto eol=lf\n") }, "recalled"},
		{"line ends of Windows", func(r *repo) {
			r.git("config", "core.autocrlf", "true")
			r.write("f", strings.ReplaceAll(r.read("f"), "\n", "\r\n"))
		}, ""},
		{"a changed file", func(r *repo) { r.write("f", "new\n"+r.read("f")) }, "composed"},
		{"a file with a line less", func(r *repo) { r.write("f", "two\nthree\n") }, "composed"},
		{"a file without its last newline", func(r *repo) { r.write("f", strings.TrimSuffix(r.read("f"), "\n")) }, "composed"},
		{"an empty file", func(r *repo) { r.write("f", "") }, "uncached"},
		{"no file", func(r *repo) { r.git("rm", "-q", "-f", "f") }, "uncached"},
		{"a symbolic link", func(r *repo) {
			r.git("rm", "-q", "-f", "f")
			if os.Symlink("g", filepath.Join(r.dir, "f")) != nil {
				r.t.Skip("no symbolic links here")
			}
			r.git("add", "f")
		}, "uncached"},
		{"another branch", func(r *repo) { r.git("checkout", "-q", "HEAD~2") }, "full"},
		{"a commit of something else", func(r *repo) {
			r.write("g", "other\n")
			r.commit("g")
		}, "recalled"},
		{"many commits of something else", func(r *repo) {
			for i := range maxWalk + 2 {
				r.write("g", fmt.Sprint(i))
				r.commit("g")
			}
		}, "composed"},
		{"packed commits of something else", func(r *repo) {
			r.write("g", "other\n")
			r.commit("g")
			r.git("gc", "-q")
		}, "composed"},
		{"a commit of the file", func(r *repo) {
			r.write("f", "newer\n"+r.read("f"))
			r.commit("newer")
		}, "composed"},
		{"a commit of the file's mode", func(r *repo) {
			r.git("update-index", "--chmod=+x", "f")
			r.git("commit", "-q", "-m", "mode")
			r.git("checkout", "-q", "-f", "HEAD")
		}, "recalled"},
		{"a file renamed away and back", func(r *repo) {
			r.git("mv", "f", "h")
			r.commit("away")
			r.git("mv", "h", "f")
			r.commit("back")
		}, ""},
		{"a merge in which the file is the same", func(r *repo) {
			r.git("checkout", "-q", "-b", "side", "HEAD~1")
			r.write("g", "side\n")
			r.commit("side")
			r.git("checkout", "-q", "main")
			r.git("merge", "-q", "--no-ff", "-m", "merge", "side")
		}, "composed"},
		{"a merge under way", func(r *repo) {
			r.git("checkout", "-q", "-b", "side", "HEAD~1")
			r.write("f", r.read("f")+"side\n")
			r.commit("side")
			r.git("checkout", "-q", "main")
			r.git("merge", "-q", "--no-commit", "--no-ff", "-Xtheirs", "side")
		}, "uncached"},
		{"HEAD at a merge whose first parent has the same file", func(r *repo) {
			r.git("checkout", "-q", "--orphan", "alone")
			r.write("f", r.read("f"))
			r.commit("the same content, another history")
			r.git("merge", "-q", "--allow-unrelated-histories", "-sours", "-m", "merge", "main")
		}, ""},
		{"the same content of another history", func(r *repo) {
			r.git("checkout", "-q", "--orphan", "alone")
			r.commit("the same content, another history")
		}, "full"},
		{"a content that was there before", func(r *repo) {
			r.git("revert", "--no-edit", "HEAD")
			r.git("revert", "--no-edit", "HEAD")
		}, "composed"},
		{"commits thrown away", func(r *repo) {
			r.git("reset", "-q", "--hard", "HEAD~2")
			r.git("reflog", "expire", "--expire=all", "--all")
			r.git("gc", "-q", "--prune=now")
			r.write("f", "again\n"+r.read("f"))
			r.commit("again")
		}, "full"},
		{"a damaged cache", func(r *repo) {
			file := keptFile(r.discover(r.dir), "f")
			raw, err := os.ReadFile(file)
			if err != nil {
				r.t.Fatal(err)
			}
			raw[len(raw)/2] ^= 1
			if err := os.WriteFile(file, raw, 0o600); err != nil {
				r.t.Fatal(err)
			}
		}, "full"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			for i := range 4 {
				r.write("f", fmt.Sprintf("%sline %d\n", strings.Repeat("one\ntwo\n", i+1), i))
				r.write("h/other", fmt.Sprint(i))
				r.commit(fmt.Sprintf("number %d", i))
			}
			r.compare(t, []string{"--porcelain"}, "f")
			r.compare(t, []string{"--porcelain"}, "HEAD", "--", "f")
			test.change(r)
			if way := r.find(t, "--porcelain", "--", "f"); test.warm != "" && way != test.warm {
				t.Errorf("the answer is %s, not %s", way, test.warm)
			}
			for range 2 {
				r.compare(t, []string{"--porcelain", "--json", "--line-porcelain", "-c"}, "--", "f")
				r.compare(t, []string{"--porcelain", "--json"}, "-L1,2", "--", "f")
				r.compare(t, []string{"--porcelain", "--json"}, "HEAD", "--", "f")
				r.compare(t, []string{"--porcelain"}, "HEAD~1", "--", "f")
			}
		})
	}
}

func TestAFileThatIsWorkedOnIsBlamedInFullOnlyTwice(t *testing.T) {
	t.Parallel()
	r := history(t)
	for i, want := range []string{"full", "composed", "composed"} {
		r.write("sub.go", r.read("sub.go")+fmt.Sprintf("// change %d\n", i))
		if way := r.find(t, "--porcelain", "sub.go"); way != want {
			t.Errorf("after change %d it is %s, not %s", i, way, want)
		}
		r.compare(t, []string{"--porcelain", "--json"}, "sub.go")
	}
}

func TestTheCacheStaysWithinItsBounds(t *testing.T) {
	t.Parallel()
	k := &kept{path: "f"}
	r := newRepo(t)
	for i := range 3 * maxAnswers {
		r.write("f", fmt.Sprint(i))
		id := r.commit("x")
		k.put(&answer{commits: []refs.OID{id}, content: id})
		for range 2 * maxAnswerCommits {
			r.tick++
			k.also(k.answers[0], r.discover(r.dir).Format.Hash("blob", fmt.Append(nil, r.tick)))
		}
	}
	if len(k.answers) != maxAnswers {
		t.Errorf("%d answers are kept", len(k.answers))
	}
	for _, a := range k.answers {
		if len(a.commits) > maxAnswerCommits {
			t.Errorf("%d commits of an answer are kept", len(a.commits))
		}
	}
	dir := t.TempDir()
	for i := range 12 {
		name := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(name, bytes.Repeat([]byte("x"), 1<<20), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trim(dir)
	if left, err := os.ReadDir(dir); err != nil || len(left) != maxShard>>20 {
		t.Errorf("%d files are left, error %v", len(left), err)
	}
}
