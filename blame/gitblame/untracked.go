package gitblame

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A file that git does not track yet has uncommitted lines with owners. Git blames such a file if the index has its
// name (git-add(1), --intent-to-add). So git runs again with a temporary index that has only this name; the user's
// index does not change. Git also needs a commit to start from. If there is none, an empty commit is made.

// `untracked` reports whether git refused a file of the work tree because it is not tracked, or because the repository
// has no commits.
func (s *Session) untracked(err error) (refused *Failure, is bool) {
	if !errors.As(err, &refused) || !refused.NoPath() && !refused.NoCommit() ||
		s.repo.Bare() || len(s.target.revs) > 0 || s.path == "" {
		return refused, false
	}
	info, statErr := os.Lstat(filepath.Join(s.repo.WorkTree, filepath.FromSlash(s.path)))
	return refused, statErr == nil && info.Mode().IsRegular()
}

// `named` calls the function `show`. If git refuses an untracked file, named calls show again with an index that has
// the file, and then deletes that index.
func (s *Session) named(show func() error) error {
	err := show()
	refused, is := s.untracked(err)
	if !is {
		return err
	}
	dir, dirErr := os.MkdirTemp("", "git-trace-index-")
	if dirErr != nil {
		return fmt.Errorf("make an index for a file that is not tracked: %w", dirErr)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s.beside = []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	cmd := s.repo.CommandUser(s.ctx, s.dir, "-c", "core.fsmonitor=false", "add", "--intent-to-add", "--force", "--",
		s.target.file)
	cmd.Env = append(append(cmd.Env, "GIT_LITERAL_PATHSPECS=1"), s.beside...)
	if cmd.Run() != nil { // git rejects the name, for example inside .git: return the error of blame
		return err
	}
	if refused.NoCommit() && s.begin(dir) != nil {
		return err
	}
	return show()
}

// begin makes git see an empty commit as HEAD. It uses a git directory like that of a linked work tree
// (gitrepository-layout(5), commondir), whose HEAD is the commit.
func (s *Session) begin(dir string) error {
	if s.repo.RefFormat != "files" {
		return errors.New("HEAD is in a reftable")
	}
	objects := filepath.Join(dir, "objects")
	if err := os.Mkdir(objects, 0o700); err != nil {
		return err
	}
	s.beside = append(s.beside, "GIT_OBJECT_DIRECTORY="+objects,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES="+filepath.Join(s.repo.CommonDir, "objects"))
	const nobody = "nobody <> 0 +0000"
	text := fmt.Sprintf("tree %s\nauthor %s\ncommitter %s\n\n", s.repo.Format.EmptyTree(), nobody, nobody)
	cmd := s.repo.CommandUser(s.ctx, s.dir, "hash-object", "-t", "commit", "-w", "--stdin")
	cmd.Env = append(cmd.Env, s.beside...)
	cmd.Stdin = strings.NewReader(text)
	head, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("make a commit to begin at: %w", err)
	}
	for name, content := range map[string]string{"HEAD": string(head), "commondir": s.repo.CommonDir + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	s.beside = append(s.beside, "GIT_DIR="+dir, "GIT_WORK_TREE="+s.repo.WorkTree)
	return nil
}
