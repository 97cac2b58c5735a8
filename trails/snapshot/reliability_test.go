package snapshot

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// A work tree is brought into a state by random steps (staged, partly staged, conflicted, intent-to-add, ignored,
// filtered, CRLF, links, nested repositories, sparse, submodules). Snapshots of all of it and of some paths leave what
// the user has as it was: the index's bytes and time, status, HEAD, refs, stash, and every file with its bytes, mode
// and time.
func TestReliabilityF1SnapshotsLeaveTheUsersRepositoryAsItIs(t *testing.T) {
	t.Parallel()
	for seed := range testenv.Pick(6, 10, 500) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			w := newWorker(t, uint64(1000+seed))
			for range 5 + w.rnd.IntN(15) {
				w.step()
				w.log = append(w.log, w.did)
			}
			w.oddity(seed % 8)
			before := w.everything()
			e := w.engine()
			e.git = seed%3 == 0
			w.full(e)
			w.must(e.Save())
			if path := w.existing(); path != "" {
				w.scoped(e, path, "not/there")
			}
			w.full(w.engine())
			w.must(e.Save())
			after := w.everything()
			for name, was := range before {
				if is := after[name]; is != was {
					t.Errorf("%s changed:\n%s\nwas\n%s\nafter %s", name, is, was, strings.Join(w.log, "\n"))
				}
			}
		})
	}
}

// oddity puts something into the repository that the random steps do not make.
func (w *worker) oddity(kind int) {
	switch kind {
	case 0:
		_, _ = w.tryGit("sparse-checkout", "set", "d", "g")
	case 1:
		other := newSandbox(w.TB)
		other.write("s", "sub\n")
		other.commit("sub")
		_, _ = w.tryGit("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.dir, "mod")
		_ = os.WriteFile(w.path("mod/s"), []byte("dirty\n"), 0o644)
	case 2:
		w.write("side-by-side", "ours\n")
		_, _ = w.tryGit("add", "-A")
		_, _ = w.tryGit("commit", "-qm", "ours")
		_, _ = w.tryGit("checkout", "-q", "-f", "-B", "theirs", "HEAD~1")
		w.write("side-by-side", "theirs\n")
		_, _ = w.tryGit("add", "-f", "side-by-side")
		_, _ = w.tryGit("commit", "-qm", "theirs")
		_, _ = w.tryGit("merge", "-q", "main") // a conflict
	case 3:
		w.git("update-index", "--split-index")
	case 4:
		w.mkdir("nested")
		w.git("init", "-q", w.path("nested"))
		w.write("nested/n", "n\n")
	case 5:
		w.write("Case", "1\n")
		_, _ = w.tryGit("add", "Case")
		_, _ = w.tryGit("mv", "Case", "case")
	case 6:
		_, _ = w.tryGit("update-index", "--index-version", "4")
		if path := w.existing(); path != "" {
			_, _ = w.tryGit("update-index", "--assume-unchanged", "--", path)
		}
	case 7:
		w.write("partly", "1\n")
		_, _ = w.tryGit("add", "-f", "partly")
		w.write("partly", "1\n2\n")
		w.write("intended", "i\n")
		_, _ = w.tryGit("add", "-N", "-f", "intended")
	}
}

// everything is userState, and every file of the work tree with what it holds and when it was written.
func (w *worker) everything() map[string]string {
	w.Helper()
	state := w.userState()
	var files strings.Builder
	w.must(filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		held := ""
		switch {
		case info.Mode().IsRegular():
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			held = fmt.Sprintf("%x", sha256.Sum256(content))
		case info.Mode()&fs.ModeSymlink != 0:
			held, _ = os.Readlink(path)
		}
		fmt.Fprintln(&files, path, info.Mode(), info.ModTime().UnixNano(), held)
		return nil
	}))
	state["files and their content"] = files.String()
	return state
}
