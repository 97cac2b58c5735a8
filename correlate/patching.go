package correlate

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// `git rebase --apply` makes its commits in git-am(1), which runs the post-applypatch hook for each of them. A person
// may have resolved a conflict in the first commit of each process. So it is anchored like any commit, and its hook
// writes the process id into the file "patching" of the work tree. Git makes the later commits of the same process
// alone, because the process ends at a conflict. While the hook runs, git names the original commit of the patch
// (rebase-apply/original-commit).

func patchingFile(repo *refs.Repo) string {
	return filepath.Join(repo.WorktreeTracesDir(), "patching")
}

// firstInit is the process id of init. The parent has this id if the real parent has ended, or if the shell cannot name
// it.
const firstInit = 1

// notePatching stores the id of git's process if a rebase has more patches to apply.
func notePatching(repo *refs.Repo, git int) error {
	if git <= firstInit || !patching(repo) {
		return nil
	}
	if err := refs.WriteFileAtomic(patchingFile(repo), []byte(strconv.Itoa(git)), 0o600); err != nil {
		return fmt.Errorf("note the process that applies patches: %w", err)
	}
	return nil
}

// forgetPatching removes the stored id of a process that has ended.
func forgetPatching(repo *refs.Repo) error {
	if err := os.Remove(patchingFile(repo)); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("forget the process that applied patches: %w", err)
	}
	return nil
}

// `patched` returns the original of HEAD's commit, unless HEAD's commit is the first one of a process that applies
// patches.
func patched(repo *refs.Repo, git int) (from refs.OID, ok bool) {
	if raw, err := os.ReadFile(patchingFile(repo)); err != nil || string(raw) != strconv.Itoa(git) || !patching(repo) {
		return from, false
	}
	text, err := os.ReadFile(patchFile(repo, "original-commit"))
	if err != nil {
		return from, false // the first commit is anchored like any other
	}
	from, err = refs.ParseOID(strings.TrimSpace(string(text)))
	return from, err == nil
}

func patchFile(repo *refs.Repo, name string) string {
	return filepath.Join(repo.GitDir, "rebase-apply", name)
}

// patching reports whether a rebase is applying patches now.
func patching(repo *refs.Repo) bool {
	_, err := os.Stat(patchFile(repo, "rebasing"))
	return err == nil
}
