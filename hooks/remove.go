package hooks

import (
	"context"
	"errors"
	"path/filepath"
)

// keptSuffix is the suffix for a copy of our file to which somebody has added lines. The copy is made before the
// earlier hook replaces the file.
const keptSuffix = ".git-trace-kept"

func (in Installer) planRemove(ctx context.Context) (*plan, error) {
	r, err := in.readReceipt()
	if err != nil {
		return nil, err
	}
	s, siteErr := in.findSite(ctx)
	if siteErr != nil && !errors.Is(siteErr, ErrHooksOff) {
		return nil, siteErr
	}
	p := &plan{}
	if err := in.planUnforward(ctx, p, s); err != nil {
		return nil, err
	}
	for _, at := range r.Places {
		if err := in.planVacate(p, at); err != nil {
			return nil, err
		}
	}
	here := place{Dir: s.dir, Shared: s.shared()}
	_, recorded := r.at(s.dir)
	theirs := here.Shared && in.sharedWithOthers(s.dir)
	if !recorded && !theirs && siteErr == nil {
		if err := planClear(p, here); err != nil { // needed if the receipt is lost
			return nil, err
		}
	}
	if err := in.planUnexclude(p); err != nil {
		return nil, err
	}
	in.planForget(p)
	return p, nil
}

// planVacate removes our part from one directory of the receipt.
func (in Installer) planVacate(p *plan, at place) error {
	switch {
	case at.Apart:
		return nil // see planUnforward
	case at.Shared && in.sharedWithOthers(at.Dir):
		in.planLeave(p, at.Dir)
		return nil
	}
	return planClear(p, at)
}

// planClear removes our part from all hooks of a directory.
func planClear(p *plan, at place) error {
	for _, hook := range all() {
		f, err := readHook(filepath.Join(at.Dir, hook))
		if errors.Is(err, ErrDamaged) {
			p.note("%s is left as it is: %s", f.path, ErrDamaged)
			continue
		}
		if err != nil {
			return err
		}
		aside := findAside(at.Dir, hook)
		if f.block == nil {
			if aside != "" {
				p.note("%s is an earlier %s that nothing runs; it is left there", filepath.Join(at.Dir, aside), hook)
			}
		} else if err := planTakeOut(p, f, hook); err != nil {
			return err
		}
		if err := planLeftovers(p, at.Dir, hook); err != nil {
			return err
		}
	}
	p.quietly(removeDir{filepath.Join(at.Dir, asideDir)})
	if at.Shared {
		p.quietly(&removeFile{path: filepath.Join(at.Dir, usersName)})
	}
	for _, dir := range at.Made {
		p.quietly(removeDir{dir})
	}
	return nil
}

// planTakeOut removes our part from one hook file.
func planTakeOut(p *plan, f hookFile, hook string) error {
	rest, err := stripBlocks(f.content)
	if err != nil {
		return err
	}
	dir := filepath.Dir(f.path)
	k, empty := f.block.kind, string(rest) == shebang(rest)
	aside := ""
	if k == chain || k == source {
		aside = findAside(dir, hook)
	}
	switch {
	case aside != "":
		if !empty {
			p.note("lines added to %s are kept in %s", f.path, filepath.Base(f.path)+keptSuffix)
			p.quietly(&writeFile{path: f.path + keptSuffix, data: rest, mode: f.mode})
		}
		p.add(Action{Hook: hook, Path: f.path, What: "put back", Why: "from " + aside},
			&putBack{from: filepath.Join(dir, filepath.FromSlash(aside)), to: f.path})
	case k != insert && empty:
		p.add(Action{Hook: hook, Path: f.path, What: "remove"}, &removeFile{path: f.path})
	default:
		p.add(Action{Hook: hook, Path: f.path, What: "take the marked block out of"},
			&writeFile{path: f.path, data: rest, mode: f.mode})
	}
	return nil
}
