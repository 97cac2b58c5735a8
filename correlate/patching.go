package correlate

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// `git rebase --apply` makes its commits in git-am(1), which runs the post-applypatch hook for each. The first commit
// of a process may be a conflict that somebody resolved; it is anchored like any commit, and its hook writes the id of
// the process into the file "patching" of the work tree. Later commits of the same process are git's alone, because the
// process ends at a conflict. At that moment git names the original commit of a patch (rebase-apply/original-commit).

func patchingFile(repo *refs.Repo) string {
	return filepath.Join(repo.WorktreeTracesDir(), "patching")
}

// firstInit is the parent's process id if the parent has ended, or the shell cannot name it.
const firstInit = 1

// notePatching notes the process that applies patches, if a rebase applies more patches.
func notePatching(repo *refs.Repo, git int) error {
	if git <= firstInit || !patching(repo) {
		return nil
	}
	if err := refs.WriteFileAtomic(patchingFile(repo), []byte(strconv.Itoa(git)), 0o600); err != nil {
		return fmt.Errorf("note who applies patches: %w", err)
	}
	return nil
}

// forgetPatching removes the note of a process that has ended.
func forgetPatching(repo *refs.Repo) error {
	if err := os.Remove(patchingFile(repo)); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("forget who applied patches: %w", err)
	}
	return nil
}

// patched returns the original of HEAD's commit, unless HEAD's commit is the first one of a process that applies
// patches.
func patched(repo *refs.Repo, git int) (from refs.OID, ok bool) {
	if raw, err := os.ReadFile(patchingFile(repo)); err != nil || string(raw) != strconv.Itoa(git) || !patching(repo) {
		return from, false
	}
	text, err := os.ReadFile(patchFile(repo, "original-commit"))
	if err != nil {
		return from, false // it is then anchored like any other
	}
	from, err = refs.ParseOID(strings.TrimSpace(string(text)))
	return from, err == nil
}

func patchFile(repo *refs.Repo, name string) string {
	return filepath.Join(repo.GitDir, "rebase-apply", name)
}

// patching reports whether a rebase applies patches now.
func patching(repo *refs.Repo) bool {
	_, err := os.Stat(patchFile(repo, "rebasing"))
	return err == nil
}
