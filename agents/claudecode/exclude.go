package claudecode

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/userfile"
	"github.com/git-trace/git-trace/refs"
)

// The rule that keeps the personal settings out of commits and snapshots. It stands in <common git dir>/info/exclude
// (gitignore(5)), which belongs to the clone, and holds for every work tree.
const (
	localPattern = "/" + configName + "/" + localName
	excludeBlock = "# >>> git-trace claude-code >>>\n" + localPattern + "\n# <<< git-trace claude-code <<<"
)

// addExclude appends the rule. A nil document stands for a file that does not exist. The block begins with a newline and
// ends without one where the last line had none, so that dropExclude knows what was there.
func addExclude(doc []byte) []byte {
	switch {
	case doc == nil:
		return []byte(excludeBlock + "\n")
	case bytes.HasSuffix(doc, []byte("\n")):
		return slices.Concat(doc, []byte(excludeBlock+"\n"))
	}
	return slices.Concat(doc, []byte("\n"+excludeBlock))
}

// dropExclude undoes addExclude. The result is nil when the file is of our making; found is false without the rule.
func dropExclude(doc []byte) (out []byte, found bool) {
	before, after, found := bytes.Cut(doc, []byte(excludeBlock))
	switch {
	case !found:
		return doc, false
	case len(after) == 0:
		return append([]byte{}, bytes.TrimSuffix(before, []byte("\n"))...), true
	case len(before) == 0 && len(after) == 1:
		return nil, true
	}
	return slices.Concat(before, bytes.TrimPrefix(after, []byte("\n"))), true
}

// readExclude is the ignore file of the clone.
func readExclude(repo *refs.Repo) (userfile.File, error) {
	path := filepath.Join(repo.CommonDir, "info", "exclude")
	file, err := userfile.Read(path)
	if err != nil {
		return file, &capability.InstallError{
			Code: capability.CodeSettingsUnreadable, Message: "read " + path, Err: err,
			Hint: "make the file readable, or install for the user with `git trace init --global`",
		}
	}
	return file, nil
}

// wantsExclude tells whether the personal settings need the rule: they are in a work tree and nothing ignores them. Settings
// that are tracked are refused, because what is installed would be committed for everybody.
func wantsExclude(ctx context.Context, root string) (bool, error) {
	if info, err := os.Lstat(filepath.Join(root, configName)); err == nil && !info.IsDir() {
		return false, nil // a link to a directory elsewhere: its files are not in the work tree
	}
	repo, err := refs.DiscoverHook(root)
	if errors.Is(err, refs.ErrNotRepository) || errors.Is(err, refs.ErrBare) || err == nil && (repo.Bare() || !sameDir(repo.WorkTree, root)) {
		return false, nil // beside a bare `.git`
	}
	if err != nil {
		return false, err
	}
	path := filepath.Join(configName, localName)
	tracked, err := repo.Git(ctx, nil, "ls-files", "-z", "--", path)
	if err != nil {
		return false, err
	}
	if len(tracked) > 0 {
		return false, &capability.InstallError{
			Code: capability.CodeSettingsTracked, Message: localPattern[1:] + " is tracked by the repository",
			Hint: "install for the user with `git trace init --global`, or untrack the file with `git rm --cached`",
		}
	}
	_, err = repo.Git(ctx, nil, "check-ignore", "-q", "--", path)
	var exit *refs.GitError
	if errors.As(err, &exit) && exit.Code == 1 {
		return true, nil
	}
	return false, err
}

func sameDir(a, b string) bool {
	real, err := filepath.EvalSymlinks(b)
	return a == b || err == nil && a == real
}
