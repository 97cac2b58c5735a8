package refs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A process that is still at work when its repository is removed makes none of it again.
func TestARemovedGitDirectoryIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]string{
		"of a repository": ".git", "of a linked work tree": "bare/worktrees/side", "of a submodule": "bare/modules/side",
		"of a bare repository": "above/side.git", "beside its work tree": "above/elsewhere",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			dir := filepath.Join(root, at)
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(at, "bare/") {
				if err := os.WriteFile(filepath.Join(root, "bare", "HEAD"), nil, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			note, held := filepath.Join(dir, "traces", "pending", "a"), filepath.Join(dir, "traces", "lock")
			lock, err := Flock(held, time.Second)
			if err != nil {
				t.Fatal(err)
			}
			lock.Unlock()
			if err := WriteFileAtomic(note, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if err := WriteFileAtomic(note, nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a note gives %v", err)
			}
			if _, err := Flock(held, time.Second); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a lock gives %v", err)
			}
			if err := MakeDirs(filepath.Join(dir, "traces", "contents", "vectors"), 0o700); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a directory gives %v", err)
			}
			if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the directory is there again: %v", err)
			}
		})
	}
}

// A part of a ref's name may be that of our directory; so may a directory in which no repository lies.
func TestDirectoriesWithOurNameAreMade(t *testing.T) {
	t.Parallel()
	for _, at := range []string{
		".git/refs/traces", ".git/refs/traces/remotes/traces", ".git/logs/refs/remotes/fork/traces", "state/traces-of-mine/list",
	} {
		dir := filepath.Join(t.TempDir(), at)
		if top, _, inside := strings.Cut(dir, ".git"+string(filepath.Separator)); inside {
			if err := os.MkdirAll(filepath.Join(top, ".git"), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if err := MakeDirs(dir, 0o700); err != nil {
			t.Errorf("%s: %v", at, err)
		}
		if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", at, info, err)
		}
	}
}
