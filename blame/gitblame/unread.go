package gitblame

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Git gives up a whole blame at a missing or damaged object. Then the blame starts again with a history that ends
// before that object. As at the end of a shallow clone, the last readable commit gets the lines. The repository's
// [refs.LeftOut] names the commits that get such lines. An answer from a shortened history is never stored.

// reach is the part of the history that a blame may use. Later values allow less.
type reach int

const (
	byName   reach = iota // the file may have had other names
	oneName               // the history ends where the file gets its name
	noParent              // only the blamed commit
)

// `cut` holds the commits whose parents are left out, with the parents that remain.
type cut struct {
	names []string // names of the file, from newer to older
	edges map[refs.OID][]refs.OID
}

// `run` runs git blame. If that fails, it runs git again for the part of the history that can be read.
func (s *Session) run(args []string, format Format, each func(*Entry) error) (trailer, warnings []byte, err error) {
	given := map[int]bool{}
	trailer, warnings, err = s.stream(args, format, nil, func(e *Entry) error {
		if format == Incremental { // other formats are written when all is known
			given[e.FinalLine] = true
		}
		return each(e)
	})
	var refused *Failure
	if !errors.As(err, &refused) || !refused.unread || s.opts.Grafted {
		return trailer, warnings, err
	}
	first := err
	s.incomplete = true
	c := &cut{names: []string{s.path}}
	const mostNames = 20
	for far := byName; far <= noParent && s.ctx.Err() == nil; {
		if s.cut(c, far) != nil {
			return nil, nil, first // this error is better: the blamed revision cannot be read as a commit
		}
		trailer, warnings, err = s.once(args, format, c, func(e *Entry) error {
			if given[e.FinalLine] {
				return nil
			}
			given[e.FinalLine] = format == Incremental
			if _, ends := c.edges[e.Commit.ID]; ends {
				s.repo.LeftOut.Note(e.Commit.ID)
			}
			return each(e)
		})
		if !errors.As(err, &refused) || !refused.unread {
			return trailer, warnings, err
		}
		if name := refused.file(); far == byName && name != "" && !slices.Contains(c.names, name) &&
			len(c.names) < mostNames {
			c.names = append(c.names, name)
			continue
		}
		far++
	}
	return nil, nil, first
}

// cut finds the parents with which a blame cannot continue.
func (s *Session) cut(c *cut, far reach) error {
	rev, err := s.blamedRev()
	if err != nil {
		return err
	}
	tips, err := s.repo.Git(s.ctx, nil, "rev-parse", "--verify", cmp.Or(rev, "HEAD")+"^{commit}")
	if err != nil {
		return err
	}
	tip, err := refs.ParseOID(strings.TrimSpace(string(tips)))
	if err != nil {
		return err
	}
	r := reading{objects: s.repo.Objects(), here: map[refs.OID]bool{}}
	defer func() { _ = r.objects.Close() }()
	c.edges = map[refs.OID][]refs.OID{}
	parents := map[refs.OID][]refs.OID{} // parents of the readable commits
	for next := []refs.OID{tip}; len(next) > 0; {
		id := next[len(next)-1]
		next = next[:len(next)-1]
		if _, read := parents[id]; read || s.ctx.Err() != nil {
			continue
		}
		if at, err := r.objects.Commit(id); err == nil {
			parents[id] = at.Parents
			next = append(next, at.Parents...)
		}
	}
	for id, all := range parents {
		kept := slices.DeleteFunc(slices.Clone(all), func(p refs.OID) bool {
			_, read := parents[p]
			return far == noParent || !read || slices.ContainsFunc(c.names, func(name string) bool {
				return r.ends(id, p, name, far)
			})
		})
		if len(kept) < len(all) {
			c.edges[id] = kept
		}
	}
	return nil
}

// reading checks the objects that a blame would read.
type reading struct {
	objects *refs.Objects
	here    map[refs.OID]bool // blobs, and whether they can be read
}

// `ends` reports whether a file cannot be followed from a commit to its parent, because it differs and the parent's
// blob cannot be read.
func (r *reading) ends(commit, parent refs.OID, name string, far reach) bool {
	now, err := r.objects.EntryAt(commit, name)
	then, failed := r.objects.EntryAt(parent, name)
	switch {
	case err != nil || failed != nil:
		return true
	case now.OID == then.OID || now.OID.IsZero():
		return false
	case then.OID.IsZero():
		return far == oneName
	case then.Mode == refs.ModeGitlink || then.IsDir():
		return false
	}
	readable, known := r.here[then.OID]
	if !known {
		_, err := r.objects.Blob(then.OID)
		readable = err == nil
		r.here[then.OID] = readable
	}
	return !readable
}

// write writes a graft file (gitrepository-layout(5)) with the user's grafts, and with the commits of the cut and their
// remaining parents.
func (c *cut) write(repo *refs.Repo) (name string, err error) {
	path := repo.Grafts
	if path == "" {
		path = filepath.Join(repo.CommonDir, "info", "grafts")
	}
	theirs, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	var text strings.Builder
	for line := range strings.Lines(string(theirs)) {
		first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		id, err := refs.ParseOID(first)
		if _, ours := c.edges[id]; err == nil && !ours {
			text.WriteString(strings.TrimSpace(line) + "\n")
		}
	}
	for id, parents := range c.edges {
		text.WriteString(id.String())
		for _, p := range parents {
			text.WriteString(" " + p.String())
		}
		text.WriteByte('\n')
	}
	file, err := os.CreateTemp("", "git-trace-grafts-")
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(text.String())
	return file.Name(), errors.Join(err, file.Close())
}

// `once` runs git blame on the history that remains.
func (s *Session) once(args []string, format Format, c *cut, each func(*Entry) error) (
	trailer, warnings []byte, err error,
) {
	name, err := c.write(s.repo)
	if name != "" {
		defer func() { _ = os.Remove(name) }()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("cut the history: %w", err)
	}
	env := []string{"GIT_GRAFT_FILE=" + name, "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"}
	return s.stream(append([]string{"-c", "advice.graftFileDeprecated=false"}, args...), format, env, each)
}
