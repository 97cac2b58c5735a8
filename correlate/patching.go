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

// `git rebase --apply` makes its commits in git-am(1), which runs the post-applypatch hook for each. The first commit
// of a process may be a conflict that somebody resolved; it is anchored like any commit. Later commits of the same
// process are git's alone, because the process ends at a conflict. The hook of the first one says so in the file
// "picking", in the form of picking.go. The numbers are those of patches, not of commands. They are noted like picks.
// At that moment git names the original commit of a patch (rebase-apply/original-commit), so the notes need no number.

// announcePatches writes the patches that the shell may note: those after the present one.
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

// deferPatch notes the commit that HEAD names, if it was announced and its shell could not note it: with reftables HEAD
// is not a file.
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

// patchNumbers returns the numbers of a rebase's current and last patch; false if no rebase applies patches now.
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
