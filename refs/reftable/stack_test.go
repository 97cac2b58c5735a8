package reftable

import (
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// The directories below testdata are stacks that git 2.55 wrote, each with what git said of it in the file "said": a
// line "ref NAME ID", "ref NAME -> NAME", or "log NAME ID MESSAGE", in git's order. UPDATE_VECTORS=1 makes them anew.

func TestStacksThatGitWrote(t *testing.T) {
	t.Parallel()
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("testdata", shape.name)
			if os.Getenv("UPDATE_VECTORS") != "" {
				remake(t, shape, dir)
			}
			said, err := os.ReadFile(filepath.Join(dir, "said"))
			if err != nil {
				t.Fatal(err)
			}
			sameAsSaid(t, dir, string(said))
		})
	}
}

func TestStacksThatThisGitWrites(t *testing.T) {
	t.Parallel()
	testenv.NeedsReftable(t)
	for _, shape := range shapes {
		shape.refs *= 8
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			dir, said := shape.make(t)
			sameAsSaid(t, dir, said)
		})
	}
}

// shape is a kind of stack.
type shape struct {
	name    string
	format  string // of object ids
	refs    int
	options []string // configuration of git
	joined  bool     // into one table
}

var shapes = []shape{
	{name: "sha1", format: "sha1", refs: 12},
	{name: "sha256", format: "sha256", refs: 12},
	{name: "indexed", format: "sha1", refs: 120, options: []string{"reftable.blockSize=256", "reftable.restartInterval=3"}, joined: true},
	{name: "joined", format: "sha256", refs: 20, joined: true},
}

// make lets git write a repository of the shape, and gives the directory of its tables and what git says of them.
func (s shape) make(t *testing.T) (dir, said string) {
	t.Helper()
	top := t.TempDir()
	git := func(input string, args ...string) string {
		t.Helper()
		var options []string
		for _, o := range s.options {
			options = append(options, "-c", o)
		}
		cmd := exec.Command("git", append(options, args...)...)
		cmd.Dir, cmd.Stdin = top, strings.NewReader(input)
		cmd.Env = append(os.Environ(), "HOME="+top, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
			"GIT_AUTHOR_NAME=A U Thor", "GIT_AUTHOR_EMAIL=author@example.com", "GIT_AUTHOR_DATE=1700000000 +0100",
			"GIT_COMMITTER_NAME=A U Thor", "GIT_COMMITTER_EMAIL=author@example.com", "GIT_COMMITTER_DATE=1700000000 +0100")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
		return string(out)
	}
	git("", "init", "-q", "-b", "main", "--ref-format=reftable", "--object-format="+s.format)
	git("", "commit", "-q", "--allow-empty", "-m", "first")
	git("", "commit", "-q", "--allow-empty", "-m", "second")
	var changes strings.Builder
	for i := range s.refs {
		fmt.Fprintf(&changes, "create refs/heads/branch-%d HEAD~%d\n", i*i, i%2)
	}
	git(changes.String(), "update-ref", "--create-reflog", "-m", "many at once", "--stdin")
	git("", "tag", "-a", "-m", "annotated", "v1")
	git("", "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	git("", "reset", "-q", "--hard", "HEAD^")
	if s.joined {
		git("", "pack-refs", "--all")
	}
	git("", "update-ref", "-d", "refs/heads/branch-4")
	git("", "update-ref", "refs/heads/branch-4x", "HEAD")
	git("", "update-ref", "--create-reflog", "-m", "elsewhere", "refs/stash", "HEAD")
	git("", "reflog", "delete", "HEAD@{1}")
	if s.joined {
		git("", "pack-refs", "--all")
	}

	for line := range strings.Lines(git("", "for-each-ref", "--include-root-refs", "--format=%(refname) %(objectname) %(symref)")) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 3:
			said += "ref " + fields[0] + " -> " + fields[2] + "\n"
		case strings.HasPrefix(line, "HEAD "):
		default:
			said += "ref " + fields[0] + " " + fields[1] + "\n"
		}
	}
	said += "ref refs/remotes/origin/HEAD -> refs/remotes/origin/main\n" // broken, so git does not list it
	for name := range strings.FieldsSeq(git("", "reflog", "list")) {
		for line := range strings.Lines(git("", "log", "-g", "--format=%H %gs", name, "--")) {
			said += "log " + name + " " + line
		}
	}
	return filepath.Join(top, ".git", "reftable"), said
}

func remake(t *testing.T, s shape, to string) {
	t.Helper()
	from, said := s.make(t)
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(to, "said"), []byte(said), 0o644); err != nil {
		t.Fatal(err)
	}
}

// sameAsSaid compares every ref and every reflog with what git said, and looks for names that are not there.
func sameAsSaid(t *testing.T, dir, said string) {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	logs := map[string]string{}
	count := 0
	for line := range strings.Lines(said) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		name, value, _ := strings.Cut(rest, " ")
		if kind == "log" {
			logs[name] = value + "\n" + logs[name]
			continue
		}
		count++
		ref, found, err := s.Ref(name)
		got := hex.EncodeToString(ref.ID)
		if ref.ID == nil {
			got = "-> " + ref.Target
		}
		if err != nil || !found || got != value || ref.Update == 0 {
			t.Errorf("%s: %q %v %v, git says %q", name, got, found, err, value)
		}
		if list, err := s.Below(name); err != nil || !slices.ContainsFunc(list, func(r Ref) bool { return r.Name == name && r.Update == ref.Update }) {
			t.Errorf("below %s: %v %v", name, list, err)
		}
		if has, err := s.HasBelow(name); err != nil || !has {
			t.Errorf("nothing is called %s…: %v", name, err)
		}
		for _, other := range []string{name + "-", name[:len(name)-1] + "!"} {
			if _, found, err := s.Ref(other); found || err != nil {
				t.Errorf("%s: %v %v", other, found, err)
			}
		}
	}
	if count < 10 {
		t.Fatalf("git named %d refs", count)
	}
	if list, err := s.Below(""); err != nil || len(list) != count {
		t.Errorf("below nothing: %d of %d refs: %v", len(list), count, err)
	}
	for _, name := range []string{"refs/heads/branch-4", "A", "zzz", ""} {
		if _, found, err := s.Ref(name); found || err != nil {
			t.Errorf("%q: %v %v", name, found, err)
		}
	}
	for name, want := range logs {
		entries, err := s.Log(name, 0, 100_000)
		got := ""
		for _, e := range entries {
			got += hex.EncodeToString(e.New) + " " + e.Message + "\n"
		}
		if err != nil || got != want {
			t.Errorf("reflog of %s: %v\n%sgit says\n%s", name, err, got, want)
		}
		newest, err := s.Log(name, 0, 1)
		if err != nil || len(newest) != 1 || newest[0].Update != entries[len(entries)-1].Update {
			t.Errorf("newest entry of %s: %v %v", name, newest, err)
			continue
		}
		if after, err := s.Log(name, newest[0].Update, 10); err != nil || len(after) > 0 {
			t.Errorf("entries of %s behind its newest: %v %v", name, after, err)
		}
	}
}

func TestAStackThatGitIsJoiningIsReadAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "sha1"))); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join(dir, "tables.list"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tables.list"), append(list, "gone.ref\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil {
		t.Error("a table that is listed and never there")
	}
	if err := os.WriteFile(filepath.Join(dir, "tables.list"), []byte("../x.ref\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil {
		t.Error("a table outside of its directory")
	}
}
