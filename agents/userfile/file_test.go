package userfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"

	"github.com/git-trace/git-trace/agents/userfile"
)

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) userfile.File {
	t.Helper()
	file, err := userfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestAReplacementKeepsThePermissions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, "old", 0o640)
	if err := read(t, path).Replace([]byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 || content(t, path) != "new" {
		t.Errorf("got mode %v, content %q, %v", info.Mode(), content(t, path), err)
	}
	onlyFile(t, filepath.Dir(path))
}

func onlyFile(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, %v; want the file alone", entries, err)
	}
}

func TestASymbolicLinkStaysOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, link := filepath.Join(dir, "dotfiles", "claude.json"), filepath.Join(dir, "settings.json")
	if err := os.Mkdir(filepath.Dir(target), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, target, "old", 0o600)
	if err := os.Symlink(filepath.Join("dotfiles", "claude.json"), link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	file := read(t, link)
	if !file.Linked() {
		t.Error("the link is not seen")
	}
	if err := file.Replace([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != filepath.Join("dotfiles", "claude.json") || content(t, target) != "new" {
		t.Errorf("link to %q, %v; target holds %q", to, err, content(t, target))
	}
	onlyFile(t, filepath.Dir(target))
}

func TestAMissingFileIsCreatedWithItsDirectoryAndDeletedWithIt(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := filepath.Join(root, ".claude", "hooks", "settings.json")
	file := read(t, path)
	if file.Data != nil {
		t.Errorf("a missing file has data %q", file.Data)
	}
	if err := file.Replace([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := read(t, path).Delete(root, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, ".claude")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directories are left: %v", err)
	}
}

func TestADirectoryWithOtherFilesIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "other"), "x", 0o600)
	write(t, filepath.Join(dir, "settings.json"), "x", 0o600)
	if err := read(t, filepath.Join(dir, "settings.json")).Delete(dir, ""); err != nil {
		t.Fatal(err)
	}
	onlyFile(t, dir)
}

func TestAFileThatChangedMeanwhileIsNotOverwritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "settings.json")
	missing := read(t, path)
	write(t, path, "old", 0o600)
	if err := missing.Replace([]byte("new")); !errors.Is(err, userfile.ErrChanged) {
		t.Errorf("a file that appeared: %v", err)
	}
	file := read(t, path)
	write(t, path, "theirs", 0o600)
	if err := file.Replace([]byte("new")); !errors.Is(err, userfile.ErrChanged) {
		t.Errorf("a file that changed: %v", err)
	}
	if err := file.Delete(filepath.Dir(path), ""); !errors.Is(err, userfile.ErrChanged) {
		t.Errorf("a file that changed, deleted: %v", err)
	}
	if content(t, path) != "theirs" {
		t.Errorf("content %q", content(t, path))
	}
	onlyFile(t, filepath.Dir(path))
}

func TestAReadOnlyDirectoryGivesAnErrorAndLeavesNothing(t *testing.T) {
	t.Parallel()
	if !testenv.AsNobody(t) {
		return
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	write(t, path, "old", 0o600)
	file := read(t, path)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(dir, 0o755) }()
	if err := file.Replace([]byte("new")); !errors.Is(err, os.ErrPermission) {
		t.Errorf("got %v", err)
	}
	onlyFile(t, dir)
}

func TestFilesThatCannotBeEdited(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := userfile.Read(dir); !errors.Is(err, userfile.ErrNotRegular) {
		t.Errorf("a directory: %v", err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("nowhere", link); err == nil {
		if _, err := userfile.Read(link); !errors.Is(err, userfile.ErrDangling) {
			t.Errorf("a dangling link: %v", err)
		}
	}
	large := filepath.Join(dir, "large")
	write(t, large, strings.Repeat("x", 8<<20+1), 0o600)
	if _, err := userfile.Read(large); !errors.Is(err, userfile.ErrTooLarge) {
		t.Errorf("a large file: %v", err)
	}
	write(t, filepath.Join(dir, "file"), "", 0o600)
	if _, err := userfile.Read(filepath.Join(dir, "file", "below")); err == nil || strings.Contains(err.Error(), dir) {
		t.Errorf("a path below a file: %v; want an error without the path", err)
	}
	if file := read(t, filepath.Join(dir, "file")); file.Data == nil {
		t.Error("an empty file is taken for a missing one")
	}
}

// What is made for a file goes with it. What was there before stays, with nothing in it, too.
func TestOnlyDirectoriesOnTheListGo(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	list := filepath.Join(t.TempDir(), "state", "made")
	theirs := filepath.Join(root, "theirs")
	if err := os.Mkdir(theirs, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, kept := range map[string]string{
		filepath.Join(theirs, "settings.json"):          theirs,
		filepath.Join(root, "ours", "a\nb", "settings"): root,
	} {
		edit := userfile.Edit{File: read(t, path), Data: []byte("{}"), Root: root, Made: list}
		if err := edit.Apply(); err != nil {
			t.Fatal(err)
		}
		edit = userfile.Edit{File: read(t, path), Root: root, Made: list}
		if err := edit.Apply(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(kept); err != nil {
			t.Errorf("%s is gone", kept)
		}
		if _, err := os.Lstat(filepath.Join(root, "ours")); err == nil {
			t.Error("what was made stays")
		}
	}
	if _, err := os.Lstat(list); err == nil {
		t.Error("the list stays with nothing on it")
	}
}
