package graph

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// `within` maps commits to their files that the paths of a query select, each with the number of lines that git counts
// as added.
type within map[refs.OID]map[string]int

// readWithin asks git which files of the commits match the paths. For a merge, these are the files that differ from all
// parents.
func readWithin(ctx context.Context, repo *refs.Repo, q Query) (within, error) {
	args := []string{
		"-c", "log.follow=false", "-c", "log.showSignature=false", "log", "--no-color", "--no-notes", "--no-renames",
		"--no-ext-diff", "--no-textconv", "--no-relative", "-c", "--name-only", "-z", "--format=%x1e%H",
	}
	out, err := q.Command(ctx, repo, append(args, q.chosen()...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("git log: %w", err)
	}
	found := within{}
	var commits []refs.OID
	var files map[string]int
	for field := range strings.SplitSeq(string(out), "\x00") {
		field = strings.TrimPrefix(field, "\n")
		if id, ok := strings.CutPrefix(field, string(mark)); ok {
			commit, err := refs.ParseOID(strings.TrimSpace(id))
			if err != nil {
				return nil, fmt.Errorf("%w: %w", errLogShape, err)
			}
			files = map[string]int{}
			found[commit] = files
			commits = append(commits, commit)
		} else if field != "" && files != nil {
			files[field] = 0
		}
	}
	counted, err := Added(ctx, repo, commits)
	for commit, added := range counted {
		for path, n := range added {
			if _, named := found[commit][path]; named {
				found[commit][path] = n
			}
		}
	}
	return found, err
}

// Added asks git for the number of lines that commits added, by file. Renames are followed. Merges have no lines, as in
// git's own output. A commit that git cannot read completely is added to the repository's [refs.LeftOut], and left out.
func Added(ctx context.Context, repo *refs.Repo, commits []refs.OID) (map[refs.OID]map[string]int, error) {
	out := make(map[refs.OID]map[string]int, len(commits))
	lines := make([]string, len(commits))
	for i, c := range commits {
		lines[i] = c.String()
	}
	args := []string{"--root", "-r", "-M", "--numstat", "-z", "--no-ext-diff", "--no-textconv"}
	skipped, err := gitdiff.Each(ctx, repo, args, lines, func(i int, r *gitdiff.Reader) (func() error, error) {
		added, err := r.Counts()
		return func() error { out[commits[i]] = added; return nil }, err
	})
	for _, i := range skipped {
		repo.LeftOut.Note(commits[i])
	}
	return out, err
}

// limit keeps only the data about some files of a commit. Lines that git counts and that have no owner are unknown.
func (c *Commit) limit(files map[string]int) {
	if !c.Anchored {
		return
	}
	nobodys := c.Nobodys()
	c.Contributors = slices.DeleteFunc(c.Contributors, func(who Contributor) bool { return who.linesIn(files) == 0 })
	for i := range c.Contributors {
		who := &c.Contributors[i]
		who.Files = slices.DeleteFunc(who.Files, func(f FileLines) bool { _, named := files[f.Path]; return !named })
		who.Lines = who.linesIn(files)
		who.Mixed = min(who.Mixed, who.Lines)
	}
	c.Place(files, nobodys)
	c.AI, c.Human, c.Unknown = 0, 0, 0
	for i := range c.Contributors {
		who := &c.Contributors[i]
		switch who.Kind {
		case events.OwnerAI:
			c.AI += who.Lines
		case events.OwnerHuman:
			c.Human += who.Lines
		default:
			c.Unknown += who.Lines
		}
	}
	c.Added = c.AI + c.Human + c.Unknown
}

// Nobodys returns the number of added lines without a contributor.
func (c *Commit) Nobodys() int {
	left := c.Added
	for i := range c.Contributors {
		left -= c.Contributors[i].Lines
	}
	return left
}

// Place adds lines without a contributor to the unknown lines. It adds at most `most` lines. The parameter `files` has
// the number of lines that git counts as added in each file.
func (c *Commit) Place(files map[string]int, most int) {
	known := map[string]int{}
	for i := range c.Contributors {
		for _, f := range c.Contributors[i].Files {
			known[f.Path] += f.Lines
		}
	}
	rest := Contributor{Kind: cmp.Or(c.Nobody, events.OwnerUnknown)}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if n := min(files[path]-known[path], most-rest.Lines); n > 0 {
			rest.Files = append(rest.Files, FileLines{path, n})
			rest.Lines += n
		}
	}
	if rest.Lines == 0 {
		return
	}
	if last := len(c.Contributors) - 1; last >= 0 && c.Contributors[last].Kind == rest.Kind {
		who := &c.Contributors[last]
		who.Lines += rest.Lines
		who.Files = slices.Concat(who.Files, rest.Files)
		who.mergeFiles()
		return
	}
	c.Contributors = append(c.Contributors, rest)
}

// linesIn returns the number of lines that the contributor has in some files.
func (c *Contributor) linesIn(files map[string]int) int {
	lines := 0
	for _, f := range c.Files {
		if _, named := files[f.Path]; named {
			lines += f.Lines
		}
	}
	return lines
}
