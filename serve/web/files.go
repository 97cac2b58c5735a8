package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/refs"
)

var (
	errNotFound    = errors.New("not found")
	errNoCommit    = errors.New("there is no commit yet")
	errBadQuestion = errors.New("not a valid value")
	errAmbiguous   = errors.New("ambiguous, it begins")
)

// mostFile is the size in bytes of the largest file that is shown.
const mostFile = 16 << 20

// files reads git's objects, by commit and path.
type files struct {
	repo *refs.Repo

	mu    sync.Mutex
	head  string            // the commit for which child is valid
	child map[string]string // the next commit on the way to head, by commit
}

// commit returns the commit of a revision. Git never reads the revision as an option (git-rev-parse(1)).
func (f *files) commit(ctx context.Context, rev string) (refs.OID, error) {
	if rev == "" || strings.HasPrefix(rev, "-") || strings.ContainsAny(rev, "\x00\n") {
		return refs.OID{}, fmt.Errorf("revision '%s': %w", rev, errNotFound)
	}
	out, err := f.repo.Git(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return refs.OID{}, f.unnamed(ctx, rev)
	}
	id, err := refs.ParseOID(strings.TrimSpace(string(out)))
	if err != nil { // git also accepts ^HEAD, which does not name a commit
		return refs.OID{}, fmt.Errorf("revision '%s': %w", rev, errNotFound)
	}
	return id, nil
}

// beginning matches a prefix of an object id.
var beginning = regexp.MustCompile(`^[0-9a-f]{4,64}$`)

// `unnamed` returns the reason why a revision names no commit. If it is a prefix of several ids, the error lists them.
func (f *files) unnamed(ctx context.Context, rev string) error {
	if rev == "HEAD" {
		return errNoCommit
	}
	none := fmt.Errorf("revision '%s': %w", rev, errNotFound)
	if !beginning.MatchString(rev) {
		return none
	}
	out, err := f.repo.Git(ctx, nil, "rev-parse", "--disambiguate="+rev)
	if err != nil {
		return none
	}
	objects := f.repo.Objects()
	defer objects.Close()
	var commits []string
	for text := range strings.FieldsSeq(string(out)) {
		id, err := refs.ParseOID(text)
		if err != nil {
			continue
		}
		if _, err := objects.Commit(id); err == nil {
			commits = append(commits, text)
		}
	}
	if len(commits) < 2 {
		return none
	}
	return fmt.Errorf("revision '%s': %w %s", rev, errAmbiguous, strings.Join(commits, " and "))
}

// newest is the number of commits in which a child is searched.
const newest = 5000

// childOf returns the next commit on the way to HEAD; "" if the commit is not among the newest. The history before a
// commit never changes, so it is walked once for each HEAD.
func (f *files) childOf(ctx context.Context, of string) string {
	head, _, err := f.repo.Head()
	if err != nil || head.IsZero() {
		return ""
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.head == head.String() {
		return f.child[of]
	}
	out, err := f.repo.Git(ctx, nil, "rev-list", "--parents", "-n", strconv.Itoa(newest), head.String())
	if err != nil {
		return ""
	}
	f.head, f.child = head.String(), map[string]string{}
	for line := range strings.Lines(string(out)) {
		id, parents, _ := strings.Cut(strings.TrimSpace(line), " ")
		for parent := range strings.FieldsSeq(parents) {
			if f.child[parent] == "" {
				f.child[parent] = id
			}
		}
	}
	return f.child[of]
}

// entry walks down a path from the tree of a commit, entry by entry. So every part of the path is only a name.
func (f *files) entry(objects *refs.Objects, commit refs.OID, path string) (refs.TreeEntry, error) {
	c, err := objects.Commit(commit)
	if err != nil {
		return refs.TreeEntry{}, err
	}
	at := refs.TreeEntry{OID: c.Tree, Mode: refs.ModeDir}
	if path == "" {
		return at, nil
	}
	for name := range strings.SplitSeq(path, "/") {
		if !at.IsDir() {
			return at, fmt.Errorf("'%s': %w", path, errNotFound)
		}
		list, err := objects.Tree(at.OID)
		if err != nil {
			return at, err
		}
		found := false
		for _, e := range list {
			if e.Name == name {
				at, found = e, true
			}
		}
		if !found {
			return at, fmt.Errorf("'%s': %w", path, errNotFound)
		}
	}
	return at, nil
}

func (f *files) has(commit refs.OID, path string) bool {
	objects := f.repo.Objects()
	defer objects.Close()
	_, err := f.entry(objects, commit, path)
	return err == nil
}

func (f *files) content(commit refs.OID, path string) ([]byte, error) {
	objects := f.repo.Objects()
	objects.Max = mostFile
	defer objects.Close()
	e, err := f.entry(objects, commit, path)
	if err != nil {
		return nil, err
	}
	if e.IsDir() || e.Mode == refs.ModeGitlink {
		return nil, fmt.Errorf("'%s' is not a file: %w", path, errNotFound)
	}
	return objects.Blob(e.OID)
}

// worktree returns the content of a tracked file in the work tree.
func (f *files) worktree(ctx context.Context, path string) ([]byte, error) {
	missing := fmt.Errorf("'%s' in the work tree: %w", path, errNotFound)
	if f.repo.Bare() || path == "" {
		return nil, missing
	}
	listed, err := f.repo.Git(ctx, nil, "--literal-pathspecs", "ls-files", "-z", "--", path)
	if err != nil || string(listed) != path+"\x00" {
		return nil, missing
	}
	root, err := os.OpenRoot(f.repo.WorkTree)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	file, err := root.Open(path) // a root prevents links from leading outside
	if err != nil {
		return nil, missing
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > mostFile {
		return nil, missing
	}
	return io.ReadAll(io.LimitReader(file, mostFile))
}
