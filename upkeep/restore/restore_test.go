package restore

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/refs"
)

// tree is what a work tree has. Nothing of it is staged afterwards.
func tree(w *recording.World) refs.OID {
	w.Git("add", "-A")
	id := w.OID(strings.TrimSpace(w.Git("write-tree")))
	w.Git("reset", "-q")
	return id
}

// seen is what a work tree has: contents, modes, links, and directories.
func seen(t *testing.T, w *recording.World) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(w.Repo.WorkTree, func(name string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git" || d.Name() == "traces":
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, _ := os.ReadFile(name)
		target, _ := os.Readlink(name)
		out = append(out, strings.Join([]string{name, info.Mode().String(), string(text), target}, " "))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// do carries a plan out as the command does.
func do(t *testing.T, w *recording.World, p *Plan) error {
	t.Helper()
	turn, err := Begin(w.Repo)
	if err != nil {
		t.Fatal(err)
	}
	defer turn.End()
	return p.Do(t.Context())
}

// A file that cannot take its place leaves all others as they were, and nothing beside them.
func TestAPlanIsCarriedOutWhollyOrNotAtAll(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(dir string) error{
		"a directory came in the place of a file": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "z")), os.MkdirAll(filepath.Join(dir, "z", "in"), 0o777))
		},
		"a directory became a link that leads out": func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "sub")), os.Symlink(filepath.Dir(dir), filepath.Join(dir, "sub")))
		},
		"a file came in the place of a directory": func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "sub")), os.WriteFile(filepath.Join(dir, "sub"), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := recording.New(t)
			w.Check(os.Mkdir(filepath.Join(w.Repo.WorkTree, "sub"), 0o777))
			for _, file := range []string{"a", "sub/new", "sub/old", "z"} {
				w.Write(file, "then "+file+"\n")
			}
			w.Check(os.Symlink("a", filepath.Join(w.Repo.WorkTree, "link")))
			then := tree(w)
			w.Write("a", "now\n")
			w.Write("z", "now\n")
			w.Write("gone", "was not there\n")
			w.Check(os.Remove(filepath.Join(w.Repo.WorkTree, "link")))
			w.Check(os.Remove(filepath.Join(w.Repo.WorkTree, "sub/new")))
			plan, err := Make(t.Context(), w.Repo, then, tree(w), []string{"a", "gone", "link", "sub/new", "z"}, nil)
			if err != nil || len(plan.Changes) != 5 || len(plan.Unsaved) != 3 {
				t.Fatalf("plan %+v: %v", plan, err)
			}
			w.Check(spoil(w.Repo.WorkTree))
			before := seen(t, w)
			if err := do(t, w, plan); err == nil {
				t.Fatal("no error")
			}
			if after := seen(t, w); !slices.Equal(before, after) {
				t.Errorf("the work tree was\n%s\nand is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
			}
		})
	}
}

// What git checks out comes back: line ends by attribute, links, modes; directories are made, and emptied ones go.
func TestFilesComeBackAsGitChecksThemOut(t *testing.T) {
	t.Parallel()
	w := recording.New(t)
	w.Write(".gitattributes", "*.crlf text eol=crlf\n")
	w.Write("t.crlf", "one\r\ntwo\r\n")
	w.Check(os.MkdirAll(filepath.Join(w.Repo.WorkTree, "deep/er"), 0o777))
	w.Write("deep/er/run", "#!/bin/sh\n")
	w.Check(os.Chmod(filepath.Join(w.Repo.WorkTree, "deep/er/run"), 0o755))
	w.Check(os.Symlink("../t.crlf", filepath.Join(w.Repo.WorkTree, "deep/link")))
	want, then := seen(t, w), tree(w)
	w.Check(os.RemoveAll(filepath.Join(w.Repo.WorkTree, "deep")))
	w.Write("t.crlf", "three\r\n")
	w.Check(os.MkdirAll(filepath.Join(w.Repo.WorkTree, "more/than"), 0o777))
	w.Write("more/than/then", "x\n")
	plan, err := Make(t.Context(), w.Repo, then, tree(w), []string{"", "more/than/then"}, nil)
	w.Check(err)
	w.Check(do(t, w, plan))
	if got := seen(t, w); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if again, err := Make(t.Context(), w.Repo, then, tree(w), []string{""}, nil); err != nil || len(again.Changes) > 0 || again.Same != 5 {
		t.Errorf("again: %+v %v", again, err)
	}
}
