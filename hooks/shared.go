package hooks

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/internal/numbers"
)

// usersName is a file in a hooks directory that several repositories share. It lists the common git directories of the
// repositories that use our hooks, one per line. Removing the last of them removes the hooks.
const usersName = "git-trace-repositories"

func readUsers(dir string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, usersName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, named(err, "read", filepath.Join(dir, usersName))
	}
	var users []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			users = append(users, line)
		}
	}
	return users, nil
}

// planJoin adds this repository to the list of a shared directory.
func (in Installer) planJoin(p *plan, dir string) error {
	users, err := readUsers(dir)
	if err != nil || slices.Contains(users, in.Repo.CommonDir) {
		return err
	}
	p.quietly(writeUsers(dir, append(users, in.Repo.CommonDir)))
	return nil
}

// sharedWithOthers reports whether another repository still uses our hooks in a directory.
func (in Installer) sharedWithOthers(dir string) bool { return len(in.otherUsers(dir)) > 0 }

// otherUsers returns the other repositories that use our hooks in a directory. It leaves out repositories that were
// deleted, or from which the hooks were removed in another way.
func (in Installer) otherUsers(dir string) []string {
	users, err := readUsers(dir)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(users, func(common string) bool {
		return common == in.Repo.CommonDir || !present(filepath.Join(common, filepath.Base(in.Repo.TracesDir()), receiptName))
	})
}

// planLeave leaves the hooks for the other repositories, and disables them for this one.
func (in Installer) planLeave(p *plan, dir string) {
	others := in.otherUsers(dir)
	p.note("the hooks in %s stay, since %s %s them; they do nothing here any more",
		dir, numbers.Count(len(others), "other repository"), numbers.Agree(len(others), "shares", "share"))
	if users, err := readUsers(dir); err == nil && !slices.Equal(users, others) {
		p.quietly(writeUsers(dir, others))
	}
	off := filepath.Join(in.Repo.TracesDir(), offName)
	if !present(off) && in.hasTraces() {
		p.add(Action{Path: off, What: "create", Why: "silences shared hooks in this repository"},
			&writeFile{path: off, mode: 0o644})
	}
}

// hasTraces reports whether the directory that enables the hooks exists.
func (in Installer) hasTraces() bool {
	entries, err := os.ReadDir(in.Repo.TracesDir())
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() != receiptName && !strings.HasPrefix(e.Name(), "hooks.lock")
	})
}

func writeUsers(dir string, users []string) *writeFile {
	var b bytes.Buffer
	for _, u := range users {
		b.WriteString(u + "\n")
	}
	return &writeFile{path: filepath.Join(dir, usersName), data: b.Bytes(), mode: 0o644}
}
