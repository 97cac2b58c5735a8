package graph

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// within are the files of commits that the paths of a query name, with the lines that git counts as added in each.
type within map[refs.OID]map[string]int

// readWithin asks git which files of the commits the paths name. A merge counts with what differs from all its parents.
func readWithin(ctx context.Context, repo *refs.Repo, q Query) (within, error) {
	args := []string{
		"-c", "log.follow=false", "-c", "log.showSignature=false", "log", "--no-color", "--no-notes", "--no-renames",
		"--no-ext-diff",
		"--no-textconv", "--no-relative", "-c", "--numstat", "-z", "--format=%x1e%H",
	}
	out, err := q.Command(ctx, repo, append(args, q.chosen()...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("git log: %w", err)
	}
	found := within{}
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
			continue
		}
		if parts := strings.SplitN(field, "\t", 3); len(parts) == 3 && files != nil {
			added, _ := strconv.Atoi(parts[0]) // "-" for a binary file, which has no lines
			files[parts[2]] = added
		}
	}
	return found, nil
}

// limit leaves of a commit what concerns the files.
func (c *Commit) limit(files map[string]int) {
	if !c.Anchored {
		return
	}
	added := 0
	for _, n := range files {
		added += n
	}
	c.AI, c.Human, c.Unknown = 0, 0, 0
	c.Contributors = slices.DeleteFunc(c.Contributors, func(who Contributor) bool { return who.linesIn(files) == 0 })
	for i := range c.Contributors {
		who := &c.Contributors[i]
		who.Files = slices.DeleteFunc(who.Files, func(f FileLines) bool { _, named := files[f.Path]; return !named })
		lines := who.linesIn(files)
		who.Lines, who.Mixed = lines, min(who.Mixed, lines)
		switch who.Kind {
		case events.OwnerAI:
			c.AI += lines
		case events.OwnerHuman:
			c.Human += lines
		default:
			c.Unknown += lines
		}
	}
	if len(c.Parents) < 2 {
		c.Unknown = max(c.Unknown, added-c.AI-c.Human)
	}
	c.Added = c.AI + c.Human + c.Unknown
}

// linesIn is how many lines somebody has in the files.
func (c *Contributor) linesIn(files map[string]int) int {
	lines := 0
	for _, f := range c.Files {
		if _, named := files[f.Path]; named {
			lines += f.Lines
		}
	}
	return lines
}
