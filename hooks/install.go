package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// hookMode is the mode of hook files that are only ours.
const hookMode = 0o755

func (in Installer) planInstall(ctx context.Context) (*plan, error) {
	if err := in.checkBinary(); err != nil {
		return nil, err
	}
	s, err := in.findSite(ctx)
	if err != nil {
		return nil, err
	}
	r, err := in.readReceipt()
	if err != nil {
		return nil, err
	}
	p := &plan{}
	made := place{Dir: s.dir, Shared: s.shared(), Apart: s.apart != ""}
	if made.Apart {
		made.Dir = in.ownDir()
		err = in.planApart(ctx, p, s)
	} else {
		err = in.planInPlace(ctx, p, s, &made)
	}
	if err != nil {
		return nil, err
	}
	if off := filepath.Join(in.Repo.TracesDir(), offName); present(off) {
		p.quietly(&removeFile{path: off})
	}
	return p, in.planReceipt(p, r.with(made, in.Binary))
}

// planInPlace installs our part in the directory from which git runs hooks.
func (in Installer) planInPlace(ctx context.Context, p *plan, s site, made *place) error {
	if !present(s.dir) {
		made.Made = missingDirs(s.dir)
		p.add(Action{Path: s.dir, What: "make directory", Why: "git runs hooks from there: " + s.source()},
			&makeDir{path: s.dir})
	}
	for _, hook := range in.names(ctx) {
		if err := in.planHook(p, s.dir, hook); err != nil {
			return err
		}
	}
	for _, hook := range asked {
		if slices.Contains(in.names(ctx), hook) {
			continue
		}
		if f, _ := readHook(filepath.Join(s.dir, hook)); f.block != nil {
			if err := planTakeOut(p, f, hook); err != nil {
				return err
			}
		}
	}
	if err := in.planExclude(p, s); err != nil {
		return err
	}
	if s.shared() {
		p.note("%s: the hooks there exit at once where nothing is traced", s.sharing())
		return in.planJoin(p, s.dir)
	}
	return nil
}

// planHook installs our part in one hook.
func (in Installer) planHook(p *plan, dir, hook string) error {
	path := filepath.Join(dir, hook)
	f, err := readHook(path)
	if err != nil {
		return err
	}
	our := part{hook: hook, kind: own, binary: in.Binary}
	switch {
	case f.blocked:
		return fmt.Errorf("%s: %w", path, ErrBlocked)
	case !f.exists:
		p.add(Action{Hook: hook, Path: path, What: "create"},
			&writeFile{path: path, data: our.file(plainShebang), mode: hookMode})
	case f.block != nil:
		err = planRefresh(p, f, our)
	case byHand(f):
	default:
		err = planJoinHook(p, f, our)
	}
	if err != nil {
		return err
	}
	return planLeftovers(p, dir, hook)
}

// byHand reports whether a hook calls git-trace without our markers: then the user wrote the call.
func byHand(f hookFile) bool {
	return f.exists && f.runs && bytes.Contains(f.content, []byte("git-hook "+filepath.Base(f.path))) &&
		bytes.Contains(f.content, []byte("git-trace"))
}

// planRefresh updates our part in a file that has it.
func planRefresh(p *plan, f hookFile, our part) error {
	hook := our.hook
	our.kind = f.block.kind
	if our.kind == insert && !f.runs {
		return planDisabled(p, f, our)
	}
	if our.kind == chain || our.kind == source {
		aside := findAside(filepath.Dir(f.path), hook)
		if our.next = asideWord(aside); aside == "" {
			our.kind = own
		}
	}
	mode := f.mode
	if our.kind != insert && !f.runs {
		mode = hookMode
	}
	data := bytes.Replace(f.content, f.block.text, our.text(), 1)
	if bytes.Equal(data, f.content) && mode == f.mode {
		return nil
	}
	p.add(Action{Hook: hook, Path: f.path, What: "refresh", Why: staleness(f, our)},
		&writeFile{path: f.path, data: data, mode: mode})
	return nil
}

// staleness describes the difference between our part in a file and the part that an install would write.
func staleness(f hookFile, our part) string {
	was := f.block.binaryOf()
	switch {
	case !f.runs:
		return "not executable"
	case our.kind != f.block.kind:
		return "the original hook that was moved aside is missing"
	case f.block.version != version:
		return "made by another version"
	case was == "" || was == filepath.ToSlash(our.binary):
		return "edited"
	case !present(filepath.FromSlash(was)):
		return "starts " + was + ", which is gone"
	}
	return "starts " + was
}

// planDisabled handles a script with our part that somebody has made non-executable: it stays disabled.
func planDisabled(p *plan, f hookFile, our part) error {
	theirs, err := stripBlocks(f.content)
	if err != nil {
		return err
	}
	aside := our.hook + asideSuffix
	if err := planMakeRoom(p, filepath.Join(filepath.Dir(f.path), aside), ""); err != nil {
		return err
	}
	our.kind, our.next = chain, asideWord(aside)
	p.quietly(&writeFile{path: filepath.Join(filepath.Dir(f.path), aside), data: theirs, mode: f.mode})
	p.add(Action{Hook: our.hook, Path: f.path, What: "stand before", Why: "it is not executable; it moves to " + aside},
		&writeFile{path: f.path, data: our.file(plainShebang), mode: hookMode})
	return nil
}

// planJoinHook adds our part to another program's hook.
func planJoinHook(p *plan, f hookFile, our part) error {
	our.kind = f.joinKind()
	whose := manager(f.content)
	if our.kind == insert {
		why := "beside a shell script"
		if whose != "" {
			why = "beside " + whose
		}
		p.add(Action{Hook: our.hook, Path: f.path, What: "add a marked block to", Why: why},
			&writeFile{path: f.path, data: insertBlock(f.content, our.text()), mode: f.mode})
		return nil
	}
	aside := f.asideName()
	path := filepath.Join(filepath.Dir(f.path), filepath.FromSlash(aside))
	our.next = asideWord(aside)
	first := plainShebang
	if line := shebang(f.content); our.kind == source && line != "" {
		first = line
	}
	if err := planMakeRoom(p, path, f.path); err != nil {
		return err
	}
	p.quietly(&makeDir{path: filepath.Dir(path)})
	p.quietly(&setAside{from: f.path, to: path})
	p.add(Action{Hook: our.hook, Path: f.path, What: "stand before", Why: "it moves to " + aside + " and runs from there"},
		&writeFile{path: f.path, data: our.file(first), mode: hookMode})
	return nil
}

// planMakeRoom renames the file that has the path needed for a renamed hook, unless it is the same file. Such a file
// was renamed before a hook manager overwrote ours.
func planMakeRoom(p *plan, path, hook string) error {
	if !present(path) || sameFile(path, hook) {
		return nil
	}
	for n := 1; ; n++ {
		free := path + "." + strconv.Itoa(n)
		if present(free) {
			continue
		}
		p.add(Action{Path: path, What: "keep", Why: "as " + filepath.Base(free) + "; nothing runs it any more"},
			&setAside{from: path, to: free})
		p.quietly(&removeFile{path: path})
		return nil
	}
}

// findAside returns the name of the renamed earlier hook, or "".
func findAside(dir, hook string) string {
	for _, name := range []string{hook + asideSuffix, asideDir + "/" + hook} {
		if present(filepath.Join(dir, filepath.FromSlash(name))) {
			return name
		}
	}
	return ""
}

// leftovers lists the suffixes with which hook managers rename other hooks: pre-commit runs ".legacy" files, lefthook
// keeps ".old" files.
var leftovers = [...]string{".legacy", ".old"}

// planLeftovers removes our part from hooks that a hook manager has renamed, because the hook itself has it again.
func planLeftovers(p *plan, dir, hook string) error {
	for _, suffix := range leftovers {
		f, _ := readHook(filepath.Join(dir, hook+suffix))
		if f.block == nil || (f.block.kind != own && f.block.kind != insert) {
			continue // nothing of ours, or a file that runs another hook
		}
		if err := planTakeOut(p, f, hook); err != nil {
			return err
		}
	}
	return nil
}

func present(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// missingDirs returns the missing directories among a directory and its parents, deepest first.
func missingDirs(dir string) []string {
	var missing []string
	for !present(dir) {
		missing = append(missing, dir)
		dir = filepath.Dir(dir)
	}
	return missing
}
