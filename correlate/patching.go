package correlate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// `git rebase --apply` makes its commits in git-am(1), which runs the post-applypatch hook for each. The first one of a
// process may be a conflict that somebody resolved, and is anchored like a commit. Those that follow in the same
// process are git's alone, for it ends where a conflict is left. The hook of the first one says so in the file
// "picking", in the form of picking.go. The numbers are those of patches, not of commands. They are noted like picks.
// Of which commit a patch was made, git says at its moment (rebase-apply/original-commit); so the notes need no number.

// announcePatches says which patches the shell may note: those behind the present one.
func announcePatches(repo *refs.Repo, git int) error {
	number, last, ok := patchNumbers(repo)
	if git <= firstInit || !ok || number >= last {
		return nil
	}
	text := fmt.Sprintf("%d %d %d\n\n", git, number+1, last)
	if err := refs.WriteFileAtomic(pickingFile(repo), []byte(text), 0o600); err != nil {
		return fmt.Errorf("announce patches: %w", err)
	}
	return nil
}

// deferPatch notes the commit that HEAD names, if it was announced and its shell could not note it: HEAD is not a file
// where refs are kept in tables.
func deferPatch(repo *refs.Repo, head refs.OID, git int) (bool, error) {
	number, _, ok := patchNumbers(repo)
	raw, err := os.ReadFile(pickingFile(repo))
	if !ok || err != nil {
		return false, nil //nolint:nilerr // nothing was announced
	}
	var process, first, last int
	if n, _ := fmt.Sscan(string(raw), &process, &first, &last); n != 3 || process != git || number < first ||
		number > last {
		return false, nil
	}
	text, err := os.ReadFile(patchFile(repo, "original-commit"))
	if err != nil {
		return false, nil //nolint:nilerr // it is then anchored like any other
	}
	from, err := refs.ParseOID(strings.TrimSpace(string(text)))
	if err != nil {
		return false, nil //nolint:nilerr // the same
	}
	f, err := os.OpenFile(deferredFile(repo), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return false, fmt.Errorf("note a patch: %w", err)
	}
	_, err = f.WriteString(head.String() + " " + from.String() + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return false, fmt.Errorf("note a patch: %w", err)
	}
	return true, nil
}

func patchFile(repo *refs.Repo, name string) string {
	return filepath.Join(repo.GitDir, "rebase-apply", name)
}

// patchNumbers returns those of the patch that a rebase is at and of its last one; false if none is under way that
// applies patches.
func patchNumbers(repo *refs.Repo) (number, last int, ok bool) {
	if _, err := os.Stat(patchFile(repo, "rebasing")); err != nil {
		return 0, 0, false
	}
	read := func(name string) (int, error) {
		raw, err := tail(patchFile(repo, name), 32)
		if err != nil {
			return 0, err
		}
		return strconv.Atoi(strings.TrimSpace(string(raw)))
	}
	number, err := read("next")
	last, lastErr := read("last")
	return number, last, err == nil && lastErr == nil
}
