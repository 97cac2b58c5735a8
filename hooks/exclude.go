package hooks

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/userfile"
)

// planExclude adds the hooks that we create in the work tree (core.hooksPath = .githooks) to the clone's ignore file,
// so that nobody commits them.
func (in Installer) planExclude(p *plan, s site) error {
	if len(s.open) == 0 {
		return nil
	}
	rel, err := filepath.Rel(s.keeper.WorkTree, realPath(s.dir))
	if err != nil {
		return named(err, "exclude", s.dir)
	}
	var files []string
	for _, hook := range s.open {
		files = append(files, filepath.Join(rel, hook))
	}
	return in.planIgnore(p, Action{What: "list the new hooks in", Why: s.dir + " is part of the work tree"}, files...)
}

// planUnexclude plans to remove the lines that planExclude adds.
func (in Installer) planUnexclude(p *plan) error {
	return in.planIgnore(p, Action{What: "take the marked block out of"})
}

// planIgnore plans the lines of the clone's ignore file for some files. If the markers are damaged, it changes nothing.
func (in Installer) planIgnore(p *plan, a Action, files ...string) error {
	file, err := userfile.Exclude(in.Repo.CommonDir)
	if err != nil {
		return fmt.Errorf("read %s: %w", file.Path, err)
	}
	data, err := marks.Ignore(file.Data, files...)
	switch a.Path = file.Path; {
	case errors.Is(err, ErrDamaged):
		p.note("%s is left as it is: %s", file.Path, err)
		return nil
	case err != nil || string(data) == string(file.Data):
		return err
	}
	p.add(a, userfile.Edit{File: file, Data: data, Root: in.Repo.CommonDir})
	return nil
}
