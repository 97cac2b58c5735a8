package gitblame

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/blamerepo"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// ways counts how answers were found.
type ways struct{ recalled, composed, full, uncached int }

// find tells how the cache would answer now, and leaves the cache as it was.
func (r *repo) find(t *testing.T, args ...string) string {
	t.Helper()
	s, err := r.open(r.Dir, "", args...)
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
		s.Close()
		if err := errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(copied))); err != nil {
			t.Fatal(err)
		}
	}()
	q, ok := s.inquiry(s.opts.Format)
	if !ok {
		return "uncached"
	}
	k := load(q.repo, q.subject(), q.context)
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
		got, err := r.blame(r.Dir, "", words...)
		if format == "--porcelain" || format == "--line-porcelain" {
			want, code := r.Try(r.Dir, "", append([]string{"blame"}, words...)...)
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
			want, got = present(want), present(got)
			if got != want {
				t.Fatalf("%s: differs from git's\n--- git\n%s\n--- ours\n%s", words, want, got)
			}
			continue
		}
		want, wantErr := r.cold(t, words...)
		if got != want || (err == nil) != (wantErr == nil) {
			t.Fatalf("%s: differs from a blame without a cache\n--- without\n%s%v\n--- with\n%s%v", words, want, wantErr, got, err)
		}
	}
}

// present takes away the times of lines that are not committed: they differ between two runs.
func present(stream string) string { return blamerepo.Clock.ReplaceAllString(stream, "$1") }

// compareForms blames with git and here as people and programs write it.
func (r *repo) compareForms(t *testing.T, format string, forms []blamerepo.Form) {
	t.Helper()
	r.Ask(t, format, forms, func(a blamerepo.Asked) {
		got, err := r.blame(a.Dir, a.Stdin, a.Args...)
		var refused *Failure
		switch {
		case a.Code != 0 && (!errors.As(err, &refused) || refused.ExitCode() != a.Code):
			t.Errorf("%s: git fails with %d\n%s\nwe print %q, error %v", a.Text, a.Code, a.Want, got, err)
		case a.Code == 0 && err != nil:
			t.Errorf("%s: %v", a.Text, err)
		case a.Code == 0 && present(got) != present(a.Want):
			t.Errorf("%s: differs from git's\n--- git\n%s\n--- ours\n%s", a.Text, a.Want, got)
		}
	})
}

// Git finds lines in an order of its own there.
func TestTheIncrementalFormatIsGits(t *testing.T) {
	t.Parallel()
	history(t).compareForms(t, "--incremental", testenv.Some(blamerepo.Forms, 4))
}

// cold blames with an empty cache, and leaves the cache as it was.
func (r *repo) cold(t *testing.T, args ...string) (string, error) {
	t.Helper()
	dir := cacheDir(r.Discover(r.Dir))
	aside := dir + ".aside"
	if err := os.Rename(dir, aside); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	out, err := r.blame(r.Dir, "", args...)
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
			forms := testenv.Some(blamerepo.Forms, 4)
			r.compareForms(t, format, forms)
			r.compareForms(t, format, forms)
			if way := r.find(t, "--porcelain", "HEAD", "--", "sub.go"); way != "recalled" {
				t.Errorf("a second blame is %s", way)
			}
			if way := r.find(t, "--porcelain", "other.txt"); way != "recalled" && !testenv.Quick() {
				t.Errorf("a second blame of the work tree is %s", way)
			}
		})
	}
	t.Run("our own formats", func(t *testing.T) {
		t.Parallel()
		r := history(t)
		r.Write("grafts", r.Graft())
		for _, format := range []string{"--json", "--root", "--date=iso", "-c", "--score-debug"} {
			for _, form := range testenv.Some(blamerepo.Forms, 12) {
				if form.Dir != "" || strings.Contains(form.Args, "LINK") || strings.Contains(form.Args, "ABS") {
					continue
				}
				args := blamerepo.Words(strings.ReplaceAll(form.Args, "{}", format))
				want, wantErr := r.cold(t, args...)
				for range 2 {
					got, err := r.blame(r.Dir, "", args...)
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
		forms := testenv.Some(blamerepo.Forms[:40], 4)
		r.compareForms(t, "--porcelain", forms)
		r.compareForms(t, "--porcelain", forms)
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
			steps := testenv.Pick(20, 80, 150)
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
				if step%2 == 1 { // asked in another way: each has answers of its own
					hows := [][]string{{"-w"}, {"-M"}, {"-C"}, {"-w", "-M3"}, {"--minimal"}, {"--diff-algorithm", "patience"}}
					args = append(slices.Clone(hows[h.rng.IntN(len(hows))]), args...)
				}
				h.count(h.find(t, append([]string{"--porcelain"}, args...)...))
				h.compare(t, []string{"--porcelain", "--line-porcelain", "--json"}[step%3:][:1], args...)
			}
			t.Logf("%+v", h.ways)
			if !testenv.Quick() && min(h.recalled, h.composed, h.full) < steps/60 {
				t.Errorf("not all ways were gone: %+v", h.ways)
			}
		})
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
		{"a mailmap", func(r *repo) { r.Write(".mailmap", "New Name <new@example.com> <author@example.com>\n") }, "full"},
		{"a mailmap elsewhere", func(r *repo) {
			r.Write("names", "Other <other@example.com> <author@example.com>\n")
			r.Git("config", "mailmap.file", "names")
		}, "full"},
		{"a mailmap in a blob", func(r *repo) {
			r.Write("names", "Blob <blob@example.com> <author@example.com>\n")
			r.Git("add", "names")
			r.Git("config", "mailmap.blob", ":names")
		}, "uncached"},
		{"a replaced commit", func(r *repo) { r.Git("replace", "HEAD~1", "HEAD~3") }, "uncached"},
		{"a replaced commit, packed", func(r *repo) {
			r.Git("replace", "HEAD~1", "HEAD~3")
			r.Git("pack-refs", "--all")
		}, "uncached"},
		{"a graft", func(r *repo) { r.Write(".git/info/grafts", r.Graft()) }, "uncached"},
		{"ignored revisions", func(r *repo) {
			r.Write("revs", r.Head().String()+"\n")
			r.Git("config", "blame.ignoreRevsFile", "revs")
		}, "uncached"},
		{"blame.showRoot", func(r *repo) { r.Git("config", "blame.showRoot", "true") }, "full"},
		{"an included configuration", func(r *repo) {
			r.Write(".git/more", "[blame]\n\tshowRoot = true\n")
			r.Git("config", "include.path", "more")
		}, "full"},
		{"a configuration for a branch", func(r *repo) {
			r.Write(".git/more", "[blame]\n\tshowRoot = true\n")
			r.Git("config", "includeIf.onbranch:topic.path", "more")
			r.Git("checkout", "-q", "-b", "topic")
		}, "full"},
		{"a configuration of the work tree", func(r *repo) {
			r.Git("config", "extensions.worktreeConfig", "true")
			r.Git("config", "--worktree", "blame.showRoot", "true")
		}, "full"},
		{"an encoding", func(r *repo) { r.Git("config", "i18n.logOutputEncoding", "ISO-8859-1") }, "full"},
		{"a setting of no concern", func(r *repo) { r.Git("config", "branch.main.remote", "origin") }, "recalled"},
		{"text conversion", func(r *repo) {
			r.Git("config", "diff.up.textconv", "tr a-z A-Z <")
			r.Write(".gitattributes", "f diff=up\n")
		}, "uncached"},
		{"a filter", func(r *repo) {
			r.Git("config", "filter.up.clean", "tr a-z A-Z")
			r.Write(".gitattributes", "f filter=up\n")
		}, ""},
		{"a filter without a program", func(r *repo) { r.Write(".gitattributes", "f filter=up\n") }, ""},
		{"a filter for other files", func(r *repo) { r.Write(".gitattributes", "*.bin filter=lfs\n") }, "recalled"},
		{"a keyword", func(r *repo) { r.Write(".gitattributes", "f ident\n") }, ""},
		{"line ends", func(r *repo) { r.Write(".gitattributes", "* text=auto eol=lf\n") }, "recalled"},
		{"line ends of Windows", func(r *repo) {
			r.Git("config", "core.autocrlf", "true")
			r.Write("f", strings.ReplaceAll(r.Read("f"), "\n", "\r\n"))
		}, ""},
		{"a changed file", func(r *repo) { r.Write("f", "new\n"+r.Read("f")) }, "composed"},
		{"a file with a line less", func(r *repo) { r.Write("f", "two\nthree\n") }, "composed"},
		{"a file without its last newline", func(r *repo) { r.Write("f", strings.TrimSuffix(r.Read("f"), "\n")) }, "composed"},
		{"an empty file", func(r *repo) { r.Write("f", "") }, "uncached"},
		{"no file", func(r *repo) { r.Git("rm", "-q", "-f", "f") }, "uncached"},
		{"a symbolic link", func(r *repo) {
			r.Git("rm", "-q", "-f", "f")
			if os.Symlink("g", filepath.Join(r.Dir, "f")) != nil {
				r.T.Skip("no symbolic links here")
			}
			r.Git("add", "f")
		}, "uncached"},
		{"another branch", func(r *repo) { r.Git("checkout", "-q", "HEAD~2") }, "full"},
		{"a commit of something else", func(r *repo) {
			r.Write("g", "other\n")
			r.Commit("g")
		}, "recalled"},
		{"many commits of something else", func(r *repo) {
			for i := range maxWalk + 2 {
				r.Write("g", fmt.Sprint(i))
				r.Commit("g")
			}
		}, "composed"},
		{"packed commits of something else", func(r *repo) {
			r.Write("g", "other\n")
			r.Commit("g")
			r.Git("gc", "-q")
		}, "composed"},
		{"a commit of the file", func(r *repo) {
			r.Write("f", "newer\n"+r.Read("f"))
			r.Commit("newer")
		}, "composed"},
		{"a commit of the file's mode", func(r *repo) {
			r.Git("update-index", "--chmod=+x", "f")
			r.Git("commit", "-q", "-m", "mode")
			r.Git("checkout", "-q", "-f", "HEAD")
		}, "recalled"},
		{"a file renamed away and back", func(r *repo) {
			r.Git("mv", "f", "h")
			r.Commit("away")
			r.Git("mv", "h", "f")
			r.Commit("back")
		}, ""},
		{"a merge in which the file is the same", func(r *repo) {
			r.Git("checkout", "-q", "-b", "side", "HEAD~1")
			r.Write("g", "side\n")
			r.Commit("side")
			r.Git("checkout", "-q", "main")
			r.Git("merge", "-q", "--no-ff", "-m", "merge", "side")
		}, "composed"},
		{"a merge under way", func(r *repo) {
			r.Git("checkout", "-q", "-b", "side", "HEAD~1")
			r.Write("f", r.Read("f")+"side\n")
			r.Commit("side")
			r.Git("checkout", "-q", "main")
			r.Git("merge", "-q", "--no-commit", "--no-ff", "-Xtheirs", "side")
		}, "uncached"},
		{"HEAD at a merge whose first parent has the same file", func(r *repo) {
			r.Git("checkout", "-q", "--orphan", "alone")
			r.Write("f", r.Read("f"))
			r.Commit("the same content, another history")
			r.Git("merge", "-q", "--allow-unrelated-histories", "-sours", "-m", "merge", "main")
		}, ""},
		{"the same content of another history", func(r *repo) {
			r.Git("checkout", "-q", "--orphan", "alone")
			r.Commit("the same content, another history")
		}, "full"},
		{"a content that was there before", func(r *repo) {
			r.Git("revert", "--no-edit", "HEAD")
			r.Git("revert", "--no-edit", "HEAD")
		}, "composed"},
		{"commits thrown away", func(r *repo) {
			r.Git("reset", "-q", "--hard", "HEAD~2")
			r.Git("reflog", "expire", "--expire=all", "--all")
			r.Git("gc", "-q", "--prune=now")
			r.Write("f", "again\n"+r.Read("f"))
			r.Commit("again")
		}, "full"},
		{"a damaged cache", func(r *repo) {
			file := keptFile(r.Discover(r.Dir), "f")
			raw, err := os.ReadFile(file)
			if err != nil {
				r.T.Fatal(err)
			}
			raw[len(raw)/2] ^= 1
			if err := os.WriteFile(file, raw, 0o600); err != nil {
				r.T.Fatal(err)
			}
		}, "full"},
	}
	for _, test := range testenv.Some(tests, 3) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			for i := range 4 {
				r.Write("f", fmt.Sprintf("%sline %d\n", strings.Repeat("one\ntwo\n", i+1), i))
				r.Write("h/other", fmt.Sprint(i))
				r.Commit(fmt.Sprintf("number %d", i))
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
		r.Write("sub.go", r.Read("sub.go")+fmt.Sprintf("// change %d\n", i))
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
		r.Write("f", fmt.Sprint(i))
		id := r.Commit("x")
		k.put(&answer{commits: []refs.OID{id}, content: id})
		for range 2 * maxAnswerCommits {
			r.Tick++
			k.also(k.answers[0], r.Discover(r.Dir).Format.Hash("blob", fmt.Append(nil, r.Tick)))
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
