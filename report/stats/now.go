package stats

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/function"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// `Now` returns the commits that wrote the lines of the tree of the commit `at`, each with its remaining lines. It
// blames every text file below the paths, which are relative to dir; without paths, all text files. The parameter
// `functions` also finds the functions of the lines. The function `tell` receives the number of blamed files. If a file
// cannot be read, the commit is noted in [refs.LeftOut].
func Now(ctx context.Context, repo *refs.Repo, resolver blame.Resolver, at refs.OID, dir string, paths []string,
	functions bool, tell func(done, files int)) ([]*graph.Commit, error) {
	files, err := textFiles(ctx, repo, at, dir, paths)
	if err != nil {
		return nil, err
	}
	p := &placer{ctx: ctx, repo: repo}
	left := remains{commits: map[refs.OID]*graph.Commit{}, owners: map[ownerAt]int{}}
	for i, path := range files {
		lines, err := blame.Asked(ctx, repo, blame.At(at.String(), path), resolver)
		var refused *gitblame.Failure
		switch {
		case ctx.Err() == nil && errors.As(err, &refused): // an older content of the file cannot be read
			repo.LeftOut.Note(at)
		case err != nil:
			return nil, fmt.Errorf("blame %s: %w", path, err)
		}
		one := job{file: function.Content{Path: path}}
		for j := range lines {
			run := left.take(path, &lines[j])
			if functions {
				one.file.Text = append(append(one.file.Text, lines[j].Content...), '\n')
				one.runs = append(one.runs, run)
			}
		}
		if err := p.add(one); err != nil {
			return nil, err
		}
		tell(i+1, len(files))
	}
	if err := p.flush(); err != nil {
		return nil, err
	}
	slices.SortFunc(left.list, func(a, b *graph.Commit) int {
		return cmp.Or(b.Committed.Compare(a.Committed), a.ID.Compare(b.ID))
	})
	return left.list, nil
}

// textFiles lists the files of a commit that have lines. Binary and empty files, links and submodules have none. If a
// content is missing, the commit is noted in [refs.LeftOut].
func textFiles(ctx context.Context, repo *refs.Repo, at refs.OID, dir string, paths []string) ([]string, error) {
	args := append([]string{"diff-tree"}, gitdiff.Raw()...)
	args = append(args, "--no-renames", "--no-relative", repo.Format.EmptyTree().String(), at.String(), "--")
	cmd := repo.CommandIn(ctx, dir, append(args, paths...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list files: %w: %s", err, bytes.TrimSpace(said.Bytes()))
	}
	records, err := gitdiff.Records(out)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	objects := repo.Objects()
	defer func() { _ = objects.Close() }()
	var files []string
	for _, r := range records {
		if r.NewMode&typeBits != regular {
			continue
		}
		content, err := objects.Blob(r.New)
		switch {
		case err != nil:
			repo.LeftOut.Note(at)
		case len(content) > 0 && !gitdiff.Binary(content):
			files = append(files, r.Path)
		}
	}
	return files, nil
}

// The bits of a mode for the type of a file, and the type of a regular file.
const (
	typeBits = 0o170000
	regular  = 0o100000
)

// remains holds the remaining lines of commits.
type remains struct {
	list    []*graph.Commit
	commits map[refs.OID]*graph.Commit
	owners  map[ownerAt]int // index of each contributor in its commit
}

// ownerAt is an owner of lines in a commit.
type ownerAt struct {
	commit       refs.OID
	kind         events.OwnerKind
	trace        events.TraceID
	agent, model string
}

// `take` counts a line, and returns it as a run of its contributor.
func (r *remains) take(path string, line *blame.Annotated) placedRun {
	c := r.commits[line.Commit.ID]
	if c == nil {
		c = commitOf(line.Commit)
		r.commits[c.ID] = c
		r.list = append(r.list, c)
	}
	owner := line.Owner
	kind := owner.Kind
	c.Added++
	switch {
	case owner.ByAI():
		kind = events.OwnerAI
		c.AI++
	case kind == events.OwnerHuman:
		c.Human++
	default:
		c.Unknown++
		c.Nobody = kind
	}
	if len(owner.Disputed) > 0 {
		c.Disputed++
	}
	key := ownerAt{c.ID, kind, owner.Trace, owner.Agent, owner.Model}
	i, known := r.owners[key]
	if !known {
		i = len(c.Contributors)
		r.owners[key] = i
		c.Contributors = append(c.Contributors, graph.Contributor{Kind: kind, Trace: owner.Trace, Agent: owner.Agent,
			Model: owner.Model, Session: owner.Session})
	}
	who := &c.Contributors[i]
	who.Lines++
	run := placedRun{commit: c, who: i, start: line.FinalLine, count: 1}
	if kind == events.OwnerAI {
		run.tool = owner.Tool
		who.AddTool(owner.Tool, path, 1)
	}
	if owner.Kind == events.OwnerMixed {
		who.Mixed++
	}
	if n := len(who.Files); n == 0 || who.Files[n-1].Path != path {
		who.Files = append(who.Files, graph.FileLines{Path: path})
	}
	who.Files[len(who.Files)-1].Lines++
	return run
}

func commitOf(c *gitblame.Commit) *graph.Commit {
	return &graph.Commit{
		ID: c.ID, Author: c.Author.Name, Mail: strings.Trim(c.Author.Mail, "<>"), Subject: c.Summary, Anchored: true,
		Time: time.Unix(c.Author.Time, 0).UTC(), Committed: time.Unix(c.Committer.Time, 0).UTC(),
	}
}
