package restore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
	"github.com/git-trace/git-trace/trails"
)

// Plan lists the changes of a restore.
type Plan struct {
	Changes []Change
	Left    []Left   // paths that do not change, though they or a directory above them are named
	Unsaved []string // files whose present content would be lost
	Same    int      // number of named files that are the same already

	repo *refs.Repo
	gone []string
	all  bool // all paths of the work tree are named
}

// Change is the change of one path.
type Change struct {
	Path string   // relative to the top of the work tree, as raw bytes
	Mode uint32   // git's mode; 0: the file is deleted
	To   refs.OID // the new content
	From refs.OID // the replaced content; zero for a new file, and for files that snapshots leave out
	Over bool     // a file exists at the path
}

// Deletes reports whether the file is deleted.
func (c *Change) Deletes() bool { return c.Mode == 0 }

// `Left` is a path that does not change, with the reason.
type Left struct{ Path, Why string }

// Refusal is an obstacle that must be removed before a restore.
type Refusal struct{ Path, Why, Hint string }

func (r *Refusal) Error() string { return r.Path + ": " + r.Why }

// ErrNotKept means that a content of the snapshot no longer exists.
var ErrNotKept = errors.New("its content is no longer kept")

// Make plans the changes that restore paths to a snapshot, the parameter `then`. The parameter `now` is a snapshot of
// the present work tree. Paths are relative to the top and clean; "" is the top. The files that an interrupted restore
// deleted ([Turn.Gone]) may be named, although neither snapshot has them.
func Make(ctx context.Context, repo *refs.Repo, then, now refs.OID, paths, gone []string) (*Plan, error) {
	return (&Plan{repo: repo, gone: gone}).make(ctx, then, now, paths)
}

// Whole plans a restore of the whole work tree, without any other files than the snapshot's.
func Whole(ctx context.Context, repo *refs.Repo, then, now refs.OID) (*Plan, error) {
	return (&Plan{repo: repo, all: true}).make(ctx, then, now, []string{""})
}

func (p *Plan) make(ctx context.Context, then, now refs.OID, paths []string) (*Plan, error) {
	staged, err := p.index(ctx, paths)
	if err != nil {
		return nil, err
	}
	for _, name := range paths {
		if err := p.check(ctx, name, then, now); err != nil {
			return nil, err
		}
	}
	records, err := p.differences(ctx, now, then, paths)
	if err != nil {
		return nil, err
	}
	unsure := map[string]refs.OID{}
	for i := range records {
		r := &records[i]
		if err := p.add(r, staged[r.Path], p.all || slices.Contains(paths, r.Path)); err != nil {
			return nil, err
		}
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		if err := p.way(c); err != nil {
			return nil, err
		}
		switch {
		case !c.Over || c.From == c.To && !c.From.IsZero() || staged[c.Path].blob == c.From && !c.From.IsZero():
		case c.From.IsZero():
			p.Unsaved = append(p.Unsaved, c.Path)
		default:
			unsure[c.Path] = c.From
		}
	}
	return p, p.findUnsaved(ctx, unsure)
}

// add adds the change of a path to the plan.
func (p *Plan) add(r *gitdiff.Record, in entry, named bool) error {
	switch {
	case in.unmerged:
		return &Refusal{r.Path, "a merge has left it in conflict", "finish the merge, or git checkout --merge"}
	case r.OldMode == refs.ModeGitlink || r.NewMode == refs.ModeGitlink:
		p.leave(r.Path, "a submodule; run git trace restore in it")
	case in.skipped:
		p.leave(r.Path, "left out of the work tree (sparse checkout)")
	case r.NewMode == 0 && !named:
		p.leave(r.Path, "was not there then; name it to delete it")
	default:
		p.Changes = append(p.Changes, Change{Path: r.Path, Mode: r.NewMode, To: r.New, From: r.Old})
	}
	return nil
}

func (p *Plan) leave(path, why string) { p.Left = append(p.Left, Left{path, why}) }

// check rejects a name without a file, and a name in a directory of git.
func (p *Plan) check(ctx context.Context, name string, then, now refs.OID) error {
	for _, part := range strings.Split(name, "/") {
		if strings.EqualFold(part, ".git") {
			return &Refusal{name, "it belongs to git", "name files of the work tree"}
		}
	}
	was, err := p.lists(ctx, then, name)
	if err != nil {
		return err
	}
	is, err := p.lists(ctx, now, name)
	if err != nil {
		return err
	}
	both := 0
	for path, entry := range was {
		if is[path] == entry {
			both++
		}
	}
	p.Same += both
	if len(was)+len(is) > 0 {
		return nil
	}
	if _, err := os.Lstat(p.abs(name)); err == nil {
		p.leave(name, "git ignores it, so snapshots do not have it")
		return nil
	}
	if slices.Contains(p.gone, name) {
		p.Same++
		return nil
	}
	return &Refusal{name, "no such file, neither then nor now", "paths are relative to where you are"}
}

// lists returns the file at a path in a tree, or the files below it.
func (p *Plan) lists(ctx context.Context, tree refs.OID, name string) (map[string]string, error) {
	out, err := p.git(ctx, "ls-tree", []string{"-r", "-z", "--full-tree", tree.String()}, []string{name})
	if err != nil {
		return nil, err
	}
	list := map[string]string{}
	for row := range strings.SplitSeq(string(out), "\x00") {
		if facts, path, ok := strings.Cut(row, "\t"); ok {
			list[path] = facts
		}
	}
	return list, nil
}

// differences lists the changes from one tree to another, in the given paths.
func (p *Plan) differences(ctx context.Context, from, to refs.OID, paths []string) ([]gitdiff.Record, error) {
	out, err := p.git(ctx, "diff-tree", append(gitdiff.Raw(), "--no-renames", from.String(), to.String()), paths)
	if err != nil {
		return nil, err
	}
	return gitdiff.Records(out)
}

// entry is an entry of the index.
type entry struct {
	blob              refs.OID
	unmerged, skipped bool
}

// index reads the index entries of paths (git-ls-files(1), -s and -t).
func (p *Plan) index(ctx context.Context, paths []string) (map[string]entry, error) {
	out, err := p.git(ctx, "ls-files", []string{"-s", "-t", "-z", "--full-name"}, paths)
	if err != nil {
		return nil, err
	}
	list := map[string]entry{}
	for row := range strings.SplitSeq(string(out), "\x00") {
		facts, path, _ := strings.Cut(row, "\t")
		fields := strings.Fields(facts) // tag, mode, id, stage
		if len(fields) != 4 {
			continue
		}
		id, err := refs.ParseOID(fields[2])
		if err != nil {
			return nil, fmt.Errorf("git ls-files: %w", err)
		}
		list[path] = entry{id, fields[3] != "0", fields[0] == "S"}
	}
	return list, nil
}

// git runs a command with literal paths. It can read the objects of snapshots, too.
func (p *Plan) git(ctx context.Context, command string, args, paths []string) ([]byte, error) {
	args = append([]string{"--literal-pathspecs", command}, args...)
	if !slices.Contains(paths, "") {
		args = append(append(args, "--"), paths...)
	}
	var stderr bytes.Buffer
	cmd := p.repo.Command(ctx, args...)
	cmd.Env, cmd.Stderr = append(cmd.Env, p.repo.SideReadEnv()...), &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", command, err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

func (p *Plan) abs(name string) string {
	return filepath.Join(p.repo.WorkTree, filepath.FromSlash(name))
}

// way checks the directories above a file, and the present file, so that nothing is written through a link.
func (p *Plan) way(c *Change) error {
	for dir := path.Dir(c.Path); dir != "."; dir = path.Dir(dir) {
		info, err := os.Lstat(p.abs(dir))
		switch {
		case err != nil: // Do makes it
			continue
		case info.Mode()&os.ModeSymlink != 0:
			return &Refusal{c.Path, dir + " is a link now", "nothing is written through a link; move it away first"}
		case !info.IsDir() && !p.deletes(dir):
			return &Refusal{c.Path, dir + " is a file now", "name " + dir + ", too, to have it deleted"}
		case info.IsDir():
			if _, err := os.Lstat(p.abs(dir + "/.git")); err == nil {
				return &Refusal{c.Path, dir + " is another repository", "run git trace restore in it"}
			}
		}
	}
	info, err := os.Lstat(p.abs(c.Path))
	c.Over = err == nil
	switch {
	case err != nil && c.Deletes():
		return &Refusal{c.Path, "it went meanwhile", "try again"}
	case err == nil && info.IsDir():
		return &Refusal{c.Path, "it is a directory now", "move the directory away first"}
	case err == nil && !info.Mode().IsRegular() && info.Mode()&os.ModeSymlink == 0:
		return &Refusal{c.Path, "it is neither a file nor a link now", "move it away first"}
	}
	return nil
}

func (p *Plan) deletes(name string) bool {
	return slices.ContainsFunc(p.Changes, func(c Change) bool { return c.Path == name && c.Deletes() })
}

// findUnsaved searches each content in HEAD and in the snapshots of boundaries. A content that is in an object store
// for another reason does not count, because nobody could find it again.
func (p *Plan) findUnsaved(ctx context.Context, contents map[string]refs.OID) error {
	objects := p.repo.Objects()
	defer objects.Close()
	for path, content := range contents {
		if id, _, err := objects.Resolve("HEAD:" + path); err == nil && id == content {
			delete(contents, path)
		}
	}
	kept, err := trails.Kept(ctx, p.repo, contents)
	if err != nil {
		return err
	}
	for path := range contents {
		if !kept[path] {
			p.Unsaved = append(p.Unsaved, path)
		}
	}
	slices.Sort(p.Unsaved)
	return nil
}

// Contents returns the new contents of the files, by path.
func (p *Plan) Contents() map[string]refs.OID {
	out := map[string]refs.OID{}
	for i := range p.Changes {
		if c := &p.Changes[i]; !c.Deletes() {
			out[c.Path] = c.To
		}
	}
	return out
}

// Remembered returns the new contents that the timeline has seen before at their paths.
func (p *Plan) Remembered(ctx context.Context) (map[string]refs.OID, error) {
	contents := p.Contents()
	kept, err := trails.Kept(ctx, p.repo, contents)
	if err != nil {
		return nil, err
	}
	for path := range contents {
		if !kept[path] {
			delete(contents, path)
		}
	}
	return contents, nil
}
