package gitblame

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// A file that git does not track yet has lines that are not committed, and owners. Git blames it as soon as its index
// knows the name (git-add(1), --intent-to-add). So git is asked once more, with an index of its own that knows this
// name and no other; the user's stays as it is.

// untracked tells whether git's refusal is about a file of the work tree that is not tracked.
func (s *Session) untracked(err error) bool {
	var refused *Failure
	if !errors.As(err, &refused) || !refused.NoPath() || s.repo.Bare() || len(s.target.revs) > 0 || s.path == "" {
		return false
	}
	info, statErr := os.Lstat(filepath.Join(s.repo.WorkTree, filepath.FromSlash(s.path)))
	return statErr == nil && info.Mode().IsRegular()
}

// named does what show does and, where git refuses a file that is not tracked, does it once more beside an index that
// knows the file. The index is gone afterwards.
func (s *Session) named(show func() error) error {
	err := show()
	if !s.untracked(err) {
		return err
	}
	dir, dirErr := os.MkdirTemp("", "git-trace-index-")
	if dirErr != nil {
		return fmt.Errorf("make an index for a file that is not tracked: %w", dirErr)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s.index = filepath.Join(dir, "index")
	cmd := s.repo.CommandUser(s.ctx, s.dir, "-c", "core.fsmonitor=false", "add", "--intent-to-add", "--force", "--",
		s.target.file)
	cmd.Env = append(cmd.Env, "GIT_LITERAL_PATHSPECS=1", "GIT_INDEX_FILE="+s.index)
	if cmd.Run() != nil { // git takes no file of that name, as those of .git: what blame said stands
		return err
	}
	return show()
}
