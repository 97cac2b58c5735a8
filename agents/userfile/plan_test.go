package userfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/agents/userfile"
)

var errFull = errors.New("disk full")

// faulty is a change that fails, or that cannot be taken back.
type faulty struct{ apply, revert error }

func (f faulty) Apply() error  { return f.apply }
func (f faulty) Revert() error { return f.revert }

// edits changes one file, makes another below a new directory, and deletes a third one.
func edits(t *testing.T, dir string) userfile.Plan[string] {
	t.Helper()
	changed, gone := filepath.Join(dir, "changed"), filepath.Join(dir, "sub", "gone")
	if err := os.MkdirAll(filepath.Dir(gone), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, changed, "old", 0o640)
	write(t, gone, "of ours", 0o600)
	made := filepath.Join(dir, "new", "made")
	var p userfile.Plan[string]
	p.Add("change", userfile.Edit{File: read(t, changed), Data: []byte("new")})
	p.Quietly(userfile.Edit{File: read(t, made), Data: []byte("made"), Root: dir})
	p.Add("delete", userfile.Edit{File: read(t, gone), Root: dir})
	return p
}

func picture(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		got[path] = info.Mode().String() + content(t, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAPlanDoesAllOfItsSteps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := edits(t, dir)
	if got := p.Actions(); !slices.Equal(got, []string{"change", "delete"}) {
		t.Errorf("announced %q", got)
	}
	if err := p.Apply(); err != nil {
		t.Fatal(err)
	}
	if content(t, filepath.Join(dir, "changed")) != "new" || content(t, filepath.Join(dir, "new", "made")) != "made" {
		t.Error("the files are not as planned")
	}
	if _, err := os.Stat(filepath.Join(dir, "sub")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory that was left empty is there: %v", err)
	}
}

func TestAPlanThatFailsAtAnyStepLeavesNothing(t *testing.T) {
	t.Parallel()
	for at := range 4 {
		dir := t.TempDir()
		p := edits(t, dir)
		before := picture(t, dir)
		p = append(slices.Clone(p[:at]), userfile.Step[string]{Change: faulty{apply: errFull}})
		if err := p.Apply(); !errors.Is(err, errFull) {
			t.Fatalf("step %d: %v", at, err)
		}
		after := picture(t, dir)
		for path, want := range before {
			if after[path] != want {
				t.Errorf("step %d: %s is %q, want %q", at, path, after[path], want)
			}
		}
		if len(after) != len(before) {
			t.Errorf("step %d: left %v", at, after)
		}
	}
}

func TestWhatCannotBeTakenBackIsTold(t *testing.T) {
	t.Parallel()
	stuck := errors.New("stuck")
	var p userfile.Plan[string]
	p.Quietly(faulty{revert: stuck})
	p.Quietly(faulty{apply: errFull})
	if err := p.Apply(); !errors.Is(err, errFull) || !errors.Is(err, stuck) {
		t.Errorf("got %v", err)
	}
}

func TestWhatSomebodyElseWroteInTheMeantimeStays(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, "old", 0o600)
	edit := userfile.Edit{File: read(t, path), Data: []byte("new")}
	if err := edit.Apply(); err != nil {
		t.Fatal(err)
	}
	write(t, path, "theirs", 0o600)
	if err := edit.Revert(); !errors.Is(err, userfile.ErrChanged) || content(t, path) != "theirs" {
		t.Errorf("%v, content %q", err, content(t, path))
	}
	if err := edit.Apply(); !errors.Is(err, userfile.ErrChanged) {
		t.Errorf("applied over another content: %v", err)
	}
}

func TestAnErrorNamesTheFileOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, "old", 0o600)
	file := read(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	err := userfile.Edit{File: file, Data: []byte("new")}.Apply()
	if want := "write " + path + ": no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestEditsBelowARootStayThere(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := filepath.Join(root, ".agent", "settings.json")
	file, err := userfile.ReadIn(root, path)
	if err != nil {
		t.Fatal(err)
	}
	edit := userfile.Edit{File: file, Data: []byte("{}"), Root: root}
	if err := edit.Apply(); err != nil || content(t, path) != "{}" {
		t.Fatalf("%v", err)
	}
	if err := edit.Revert(); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) > 0 {
		t.Errorf("left %v, %v", entries, err)
	}
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(root, ".agent")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if _, err := userfile.ReadIn(root, path); !errors.Is(err, userfile.ErrOutside) {
		t.Errorf("read through a link that leads out: %v", err)
	}
	if err := edit.Apply(); err == nil {
		t.Error("wrote through a link that leads out")
	}
	if entries, err := os.ReadDir(elsewhere); err != nil || len(entries) > 0 {
		t.Errorf("wrote %v, %v", entries, err)
	}
}
