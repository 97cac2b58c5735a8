package purge

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
)

// `Left` is data that contains, or may contain, purged text, and that the purge leaves.
type Left struct {
	What string `json:"what"`
	Why  string `json:"why"`
	Mend string `json:"mend"` // the remedy; "" for none
}

func (p *Purge) leave(what, why, mend string) {
	l := Left{what, why, mend}
	if !slices.Contains(p.Left, l) {
		p.Left = append(p.Left, l)
	}
}

// stillThere lists the objects that were to be deleted, but still exist.
func (p *Purge) stillThere(main, side map[refs.OID]bool) error {
	for dir, ids := range map[string]map[refs.OID]bool{p.Repo.MainObjects(): main, p.Repo.SideObjects(): side} {
		if len(ids) == 0 {
			continue
		}
		all, err := p.Repo.ListObjects(p.ctx, dir)
		if err != nil {
			return err
		}
		there := map[refs.OID]bool{}
		for _, o := range all {
			if ids[o.OID] {
				there[o.OID] = true
			}
		}
		if len(there) == 0 {
			continue
		}
		p.Objects -= len(there)
		packs, err := p.Repo.PacksWith(dir, there)
		if err != nil {
			return err
		}
		for _, pack := range packs {
			p.leave(p.short(pack+".pack"), "git is told to keep this pack (.keep, .promisor)",
				"delete the .keep file, then purge again")
		}
		if len(packs) == 0 {
			p.leave(numbers.Count(len(there), "git object"), "they lie in another repository that this one borrows from",
				"purge there; see "+p.short(filepath.Join(dir, "info", "alternates")))
		}
	}
	return nil
}

// `short` returns a path for messages, relative to the top of the work tree if it is inside.
func (p *Purge) short(path string) string {
	if rest, err := filepath.Rel(filepath.Dir(p.Repo.CommonDir), path); err == nil && !strings.HasPrefix(rest, "..") {
		return rest
	}
	return path
}

// `elsewhere` searches every file of the git directory except objects. It deletes git-trace's derived and half-written
// files that contain the text, and reports the others.
func (p *Purge) elsewhere() error {
	for _, move := range p.Records.Moves {
		if remote := remoteOf(move.Ref); remote != "" {
			p.leave("the remote "+remote, "it holds this as well, and a fetch brings back what others pushed",
				"git trace push replaces what you pushed; have others purge what is theirs")
		}
	}
	if !p.Target.Texts.HasTexts() {
		return nil
	}
	if err := p.ctx.Err(); err != nil {
		return err
	}
	skip := map[string]bool{
		p.Repo.MainObjects(): true, p.Repo.SideObjects(): true,
		filepath.Join(p.Repo.CommonDir, "lfs"): true, filepath.Join(p.Repo.CommonDir, "modules"): true,
		filepath.Join(p.Repo.CommonDir, "annex"): true,
	}
	err := filepath.WalkDir(p.Repo.CommonDir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			p.leave(p.short(name), "it cannot be read: "+refs.PathCause(err).Error(), "")
			return nil
		case skip[name] && d.IsDir():
			return fs.SkipDir
		case !d.Type().IsRegular():
			return p.ctx.Err()
		}
		return p.file(name)
	})
	if err != nil {
		return err
	}
	return p.halfWritten()
}

func remoteOf(ref string) string {
	rest, found := strings.CutPrefix(ref, "refs/traces/remotes/")
	if !found {
		return ""
	}
	parts := strings.Split(rest, "/")
	return strings.Join(parts[:max(len(parts)-2, 1)], "/")
}

// file searches one file.
func (p *Purge) file(name string) error {
	if p.dry && p.ours(name) && !p.disposable(name) && name != events.OpenLog(p.Repo).JournalPath() {
		return nil // already reported
	}
	held, err := p.Target.HoldsFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !held:
		return nil
	case err != nil:
		p.leave(p.short(name), "it cannot be read: "+refs.PathCause(err).Error(), "")
		return nil
	}
	if !p.disposable(name) {
		p.leave(p.keptFile(name))
		return nil
	}
	p.Files++
	if p.dry {
		return nil
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("drop file: %w", err)
	}
	return nil
}

// keptFile returns, for a file that contains the text and stays, its kind, the reason why it stays, and the remedy.
func (p *Purge) keptFile(name string) (what, why, mend string) {
	switch {
	case name == events.OpenLog(p.Repo).JournalPath():
		return ownLog, inNames, dropsAll
	case name == purged.Path(p.Repo):
		return p.short(name), "it keeps expressions and paths as they were given", "of a --text it keeps hashes"
	case p.ours(name):
		return p.short(name), inNames, dropsAll
	}
	return p.short(name), "it holds the text, and is not git-trace's to change",
		"look at it; delete it if it is not needed"
}

func copyFile(name string, to io.Writer) error {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(to, in)
	return err
}

// ours reports whether a file belongs to git-trace.
func (p *Purge) ours(name string) bool {
	rest, found := strings.CutPrefix(name, p.Repo.CommonDir+string(filepath.Separator))
	parts := strings.Split(filepath.ToSlash(rest), "/")
	return found && (parts[0] == "traces" || len(parts) > 2 && parts[0] == "worktrees" && parts[2] == "traces")
}

// `disposable` reports whether a file belongs to git-trace and can be made again: caches, the owners of contents, and
// half-written files of killed processes.
func (p *Purge) disposable(name string) bool {
	for _, dir := range []string{filepath.Join(p.Repo.TracesDir(), "cache"), ledger.Dir(p.Repo)} {
		if strings.HasPrefix(name, dir+string(filepath.Separator)) {
			return true
		}
	}
	return p.ours(name) && strings.HasPrefix(filepath.Base(name), "tmp_")
}

// halfWritten deletes objects that a killed git-trace process was writing, because their content is unknown. It reports
// half-written objects of git.
func (p *Purge) halfWritten() error {
	for _, dir := range []string{p.Repo.MainObjects(), p.Repo.SideObjects()} {
		for _, name := range refs.HalfWritten(dir) {
			if !refs.OwnHalfWritten(name) && dir == p.Repo.MainObjects() {
				p.leave(p.short(name), "git left it half written, or is just writing it", "git prune")
				continue
			}
			p.Files++
			if p.dry {
				continue
			}
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("drop half an object: %w", err)
			}
		}
	}
	return nil
}
