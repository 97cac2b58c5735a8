package gitfacts

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// Reader reads commits.
type Reader interface {
	Commit(commit refs.OID) (refs.Commit, error)
	// Named returns the only commit whose id has this prefix. It returns false if there is none or several.
	Named(id string) (refs.OID, bool)
	// Blob returns the blob of a commit at a path. It returns the zero id if the path is not a file there, or if the
	// commit is missing.
	Blob(commit refs.OID, path string) (refs.OID, error)
	// Files lists the files of a commit, without submodules.
	Files(commit refs.OID) ([]File, error)
	// Changed lists the paths that differ between two commits. If the first is the zero id, it lists all files of the
	// second.
	Changed(from, to refs.OID) ([]snapshot.Change, error)
	// Newest lists the newest commits of the refs, without git-trace's log and the stashes, and the commits that were
	// fetched last.
	Newest() []refs.OID
	// MergeBase returns the best common ancestor of two commits, or false if there is none.
	MergeBase(a, b refs.OID) (refs.OID, bool)
}

// File is a file of a commit.
type File struct {
	Path string
	Blob refs.OID
}

// Bounds for a reader's cache, and for the newest commits that it lists.
const (
	maxBlobs   = 1 << 14
	maxCommits = 1 << 10
	maxNewest  = 512
)

// Git is the Reader of a repository. It caches its reads and is not safe for concurrent use.
type Git struct {
	ctx     context.Context // a reader lives for one step of the timeline
	repo    *refs.Repo
	objects *refs.Objects
	commits map[refs.OID]refs.Commit
	blobs   map[place]refs.OID
	files   map[refs.OID][]File
	newest  []refs.OID // nil before the first use
}

type place struct {
	commit refs.OID
	path   string
}

// NewGit returns the reader of a repository. It reads only on demand.
func NewGit(ctx context.Context, repo *refs.Repo, objects *refs.Objects) *Git {
	return &Git{
		ctx: ctx, repo: repo, objects: objects,
		commits: map[refs.OID]refs.Commit{}, blobs: map[place]refs.OID{}, files: map[refs.OID][]File{},
	}
}

// Commit reads a commit.
func (g *Git) Commit(commit refs.OID) (refs.Commit, error) {
	if c, done := g.commits[commit]; done {
		return c, nil
	}
	c, err := g.objects.Commit(commit)
	if err == nil {
		if len(g.commits) >= maxCommits {
			clear(g.commits)
		}
		g.commits[commit] = c
	}
	return c, err
}

// minNamed is the length of the shortest id that git accepts (gitrevisions(7)).
const minNamed = 4

// Named finds a commit by a prefix of its id. A ref with the same name does not count.
func (g *Git) Named(id string) (refs.OID, bool) {
	if len(id) < minNamed {
		return refs.OID{}, false
	}
	oid, _, err := g.objects.Resolve(id + "^{commit}")
	return oid, err == nil && strings.HasPrefix(oid.String(), id)
}

// Blob returns the blob of a commit at a path.
func (g *Git) Blob(commit refs.OID, path string) (refs.OID, error) {
	if commit.IsZero() {
		return refs.OID{}, nil
	}
	at := place{commit, path}
	if oid, done := g.blobs[at]; done {
		return oid, nil
	}
	entry, err := g.objects.EntryAt(commit, path)
	oid := entry.OID
	if errors.Is(err, refs.ErrMissing) || err == nil && entry.Type() != refs.BlobObject {
		oid, err = refs.OID{}, nil
	}
	if err == nil {
		if len(g.blobs) >= maxBlobs {
			clear(g.blobs)
		}
		g.blobs[at] = oid
	}
	return oid, err
}

// Files lists the files of a commit (git-ls-tree(1)).
func (g *Git) Files(commit refs.OID) ([]File, error) {
	if list, done := g.files[commit]; done {
		return list, nil
	}
	raw, err := g.repo.Git(g.ctx, nil, "ls-tree", "-r", "-z", commit.String())
	if err != nil {
		return nil, err
	}
	g.files[commit] = filesOf(raw)
	return g.files[commit], nil
}

// filesOf reads "MODE TYPE OID\tPATH NUL".
func filesOf(raw []byte) []File {
	list := []File{}
	for record := range bytes.SplitSeq(raw, []byte{0}) {
		head, path, _ := bytes.Cut(record, []byte("\t"))
		words := bytes.Fields(head)
		if len(words) != 3 || string(words[1]) != "blob" {
			continue
		}
		if oid, err := refs.ParseOID(string(words[2])); err == nil {
			list = append(list, File{string(path), oid})
		}
	}
	return list
}

// Changed compares two commits (git-diff-tree(1)).
func (g *Git) Changed(from, to refs.OID) ([]snapshot.Change, error) {
	args := []string{"diff-tree", "-r", "-z", "--no-renames"}
	if from.IsZero() {
		args = append(args, "--root", "--no-commit-id", to.String())
	} else {
		args = append(args, from.String(), to.String())
	}
	raw, err := g.repo.Git(g.ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	return snapshot.ParseRawDiff(string(raw))
}

// Newest calls git-rev-list(1). Before the first commit the list is empty.
func (g *Git) Newest() []refs.OID {
	if g.newest != nil {
		return g.newest
	}
	g.newest = []refs.OID{}
	args := []string{
		"rev-list", "--ignore-missing", "--max-count=" + strconv.Itoa(maxNewest),
		"--exclude=refs/traces/*", "--exclude=refs/stash", "--all", "HEAD",
	}
	for _, oid := range namedIn(g.repo, "FETCH_HEAD") {
		args = append(args, oid.String())
	}
	raw, err := g.repo.Git(g.ctx, nil, args...)
	if err != nil {
		return g.newest
	}
	for id := range strings.FieldsSeq(string(raw)) {
		if oid, err := refs.ParseOID(id); err == nil {
			g.newest = append(g.newest, oid)
		}
	}
	return g.newest
}

// MergeBase calls git-merge-base(1).
func (g *Git) MergeBase(a, b refs.OID) (refs.OID, bool) {
	raw, err := g.repo.Git(g.ctx, nil, "merge-base", a.String(), b.String())
	if err != nil {
		return refs.OID{}, false
	}
	base, err := refs.ParseOID(strings.TrimSpace(string(raw)))
	return base, err == nil
}
