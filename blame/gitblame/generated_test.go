package gitblame

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/blamerepo"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// chronicle makes a history, always the same one, with what blame can stumble over: side branches and merges, renames
// with and without an edit, copies, CRLF that comes and goes, last lines without an end, executable bits, files that go
// and come back.
type chronicle struct {
	rnd   *rand.Rand
	out   bytes.Buffer
	files map[string]*chronicleFile
	marks int
}

type chronicleFile struct {
	lines           []string
	crlf, cut, exec bool
}

func (f *chronicleFile) text() string {
	end := "\n"
	if f.crlf {
		end = "\r\n"
	}
	text := strings.Join(f.lines, end)
	if f.cut || len(f.lines) == 0 {
		return text
	}
	return text + end
}

func (s *chronicle) line() string {
	return fmt.Sprintf("%s %d", []string{"alpha", "beta", "\tif err != nil {", "}", "gamma"}[s.rnd.IntN(5)], s.rnd.IntN(60))
}

func (s *chronicle) pick() string {
	return slices.Sorted(maps.Keys(s.files))[s.rnd.IntN(len(s.files))]
}

func (s *chronicle) data(text string) { fmt.Fprintf(&s.out, "data %d\n%s\n", len(text), text) }

// commit begins a commit on a branch, of the parents given by mark, and returns its own.
func (s *chronicle) commit(branch string, parents ...int) int {
	s.marks++
	fmt.Fprintf(&s.out, "commit refs/heads/%s\nmark :%d\ncommitter A U Thor <author@example.com> %d +0000\n", branch, s.marks, 1_600_000_000+3600*s.marks)
	s.data(fmt.Sprint("change ", s.marks))
	for i, parent := range parents {
		fmt.Fprintf(&s.out, "%s :%d\n", []string{"from", "merge"}[min(i, 1)], parent)
	}
	return s.marks
}

func (s *chronicle) put(name string) {
	f := s.files[name]
	mode := "100644"
	if f.exec {
		mode = "100755"
	}
	fmt.Fprintf(&s.out, "M %s inline %q\n", mode, name)
	s.data(f.text())
}

// edit changes some lines of a file.
func (s *chronicle) edit(f *chronicleFile) {
	for range 1 + s.rnd.IntN(4) {
		at := s.rnd.IntN(len(f.lines) + 1)
		switch {
		case s.rnd.IntN(3) == 0 && at < len(f.lines):
			f.lines = slices.Delete(f.lines, at, min(at+1+s.rnd.IntN(3), len(f.lines)))
		case s.rnd.IntN(2) == 0 && at < len(f.lines):
			f.lines[at] = s.line()
		default:
			f.lines = slices.Insert(f.lines, at, s.line(), s.line())
		}
	}
}

// change does one thing to the files.
func (s *chronicle) change() {
	name := s.pick()
	f := s.files[name]
	fresh := fmt.Sprintf("d%d/f %d.txt", s.rnd.IntN(4), s.rnd.IntN(40))
	_, taken := s.files[fresh]
	switch n := s.rnd.IntN(20); {
	case n == 0:
		f.crlf = !f.crlf
	case n == 1:
		f.cut = !f.cut
	case n == 2:
		f.exec = !f.exec
	case n < 5 && !taken: // a rename
		delete(s.files, name)
		fmt.Fprintf(&s.out, "D %q\n", name)
		if name, s.files[fresh] = fresh, f; n == 3 {
			s.edit(f)
		}
	case n == 5 && !taken: // a copy
		name, f = fresh, &chronicleFile{slices.Clone(f.lines), f.crlf, f.cut, f.exec}
		s.files[name] = f
	case n == 6 && len(s.files) > 8:
		delete(s.files, name)
		fmt.Fprintf(&s.out, "D %q\n", name)
		return
	case n < 9 && !taken:
		name, f = fresh, &chronicleFile{}
		s.files[name] = f
		s.edit(f)
	default:
		s.edit(f)
	}
	s.put(name)
}

// generated is a repository with a history of so many commits on the main line.
func generated(t *testing.T, commits int) *repo {
	t.Helper()
	s := &chronicle{rnd: rand.New(rand.NewPCG(11, 11)), files: map[string]*chronicleFile{}}
	last := s.commit("main")
	for i := range 12 {
		name := fmt.Sprintf("start%d.txt", i)
		s.files[name] = &chronicleFile{}
		for range 10 + s.rnd.IntN(40) {
			s.files[name].lines = append(s.files[name].lines, s.line())
		}
		s.put(name)
	}
	for i := 1; i < commits; i++ {
		if i%7 > 0 {
			last = s.commit("main", last)
			s.change()
			continue
		}
		name := s.pick() // on a side branch, while the main line goes on
		ours := slices.Clone(s.files[name].lines)
		side := s.commit("side", last)
		s.edit(s.files[name])
		s.put(name)
		theirs := s.files[name].lines
		s.files[name].lines = ours
		other := s.pick()
		last = s.commit("main", last)
		s.edit(s.files[other])
		s.put(other)
		last = s.commit("main", last, side)
		if other == name { // a conflict, in which both count
			theirs = append(slices.Clone(s.files[name].lines), theirs...)
		}
		s.files[name].lines = theirs
		s.put(name)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{&blamerepo.Repo{T: t, Dir: dir}}
	r.Git("init", "-q", "-b", "main")
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = dir, &s.out
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git fast-import: %v: %s", err, out)
	}
	r.Git("config", "core.autocrlf", "false")
	return r
}

// The full form takes a history of 1,000 commits.
func TestBlameOverAGeneratedHistoryIsGits(t *testing.T) {
	t.Parallel()
	commits := testenv.Pick(6, 10, 1000)
	r := generated(t, commits)
	r.followHistory(t, commits)
}
