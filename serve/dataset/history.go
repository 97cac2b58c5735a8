package dataset

import (
	"bufio"
	"bytes"
	"maps"
	"slices"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/stats"
)

// history writes the commits, and the owners of the lines that they added.
func (m *maker) history(t writers) error {
	if m.empty() {
		return nil
	}
	reverts, err := m.reverts()
	if err != nil {
		return err
	}
	from := m.Lines
	from.Keep, from.ByFile = true, true
	return stats.Each(m.ctx, m.Repo, from, graph.Query{}, func(c *graph.Commit) error {
		if err := m.row(t["commits"], m.commit(c, reverts[c.ID])); err != nil {
			return err
		}
		return m.owners(c, t)
	})
}

// `empty` reports whether the repository has no commits.
func (m *maker) empty() bool {
	head, _, err := m.Repo.Head()
	return m.Known.Untraced() || err == nil && head.IsZero()
}

func (m *maker) commit(c *graph.Commit, reverts []string) *Commit {
	row := &Commit{
		Repo: m.Name, Month: month(c.Time), Commit: c.ID.String(), Parents: []string{}, Author: c.Author,
		AuthorMail: c.Mail, Authored: stampOf(c.Time), Anchored: c.Anchored, Added: int64(c.Added), AI: int64(c.AI),
		Human: int64(c.Human), Unknown: int64(c.Unknown), Reverts: append([]string{}, reverts...),
	}
	for _, p := range c.Parents {
		row.Parents = append(row.Parents, p.String())
	}
	return row
}

// owners writes the lines of a commit: first the lines whose place is known, then the other lines of its contributors.
func (m *maker) owners(c *graph.Commit, t writers) error {
	placed := map[string]int{} // by file: lines without an owner whose place is known
	all := 0
	if c.Believed != nil {
		for i := range c.Believed.Files {
			f := &c.Believed.Files[i]
			for k := range f.Runs {
				run := &f.Runs[k]
				if run.Beyond {
					continue
				}
				row := m.run(c, f.Path, run)
				if row.Owner == string(events.OwnerUnknown) {
					placed[f.Path] += run.Count
					all += run.Count
				}
				if err := m.row(t["lines"], row); err != nil {
					return err
				}
			}
		}
	}
	return m.rest(c, placed, all, t)
}

// rest writes the lines of a commit whose owner and place are unknown.
func (m *maker) rest(c *graph.Commit, placed map[string]int, all int, t writers) error {
	files := map[string]int{}
	left := -all
	for i := range c.Contributors {
		who := &c.Contributors[i]
		if who.Kind.Known() {
			continue
		}
		left += who.Lines
		for _, f := range who.Files {
			files[f.Path] += f.Lines
		}
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		n := min(files[path]-placed[path], left)
		if n <= 0 {
			continue
		}
		row := m.line(c, path)
		row.Lines, row.Owner = int64(n), string(events.OwnerUnknown)
		left -= n
		if err := m.row(t["lines"], row); err != nil {
			return err
		}
	}
	if left <= 0 {
		return nil
	}
	row := m.line(c, "")
	row.Lines, row.Owner = int64(left), string(events.OwnerUnknown)
	return m.row(t["lines"], row)
}

func (m *maker) line(c *graph.Commit, path string) *Line {
	return &Line{
		Repo: m.Name, Month: month(c.Time), Commit: c.ID.String(), Path: maybe(path), Language: maybe(stats.LanguageOf(path)),
		Author: c.Author, AuthorMail: c.Mail, Authored: stampOf(c.Time),
	}
}

func (m *maker) run(c *graph.Commit, path string, run *belief.Run) *Line {
	row := m.line(c, path)
	who := graph.ContributorOf(run.Owner)
	row.Start, row.Lines, row.Owner = new(int64(run.Start)), int64(run.Count), string(who.Kind)
	row.Mixed = run.Owner.Kind == events.OwnerMixed
	row.Agent, row.Model, row.Trace, row.Prompt = maybe(who.Agent), maybe(who.Model), maybe(who.Trace), number(who.Prompt)
	row.Candidates = int64(len(who.Candidates))
	if who.Kind != events.OwnerAI {
		return row
	}
	row.Tier = maybe(run.Tier)
	if who.Trace != "" {
		row.ToolCall, row.Patch = maybe(run.Owner.ToolCall), maybe(run.Owner.Patch)
	}
	return row
}

// lives writes the lives of lines.
func (m *maker) lives(t writers) error {
	if m.empty() {
		return nil
	}
	commits, err := stats.Count(m.ctx, m.Repo, m.Lines, graph.Query{})
	if err != nil {
		return err
	}
	return stats.Lives(m.ctx, m.Repo, m.Lines, graph.Query{}, commits, func(l *stats.Life) error {
		row := &Life{
			Repo: m.Name, Month: month(l.Commit.Time), Agent: maybe(l.Who.Agent), Commit: l.Commit.ID.String(), Path: l.Path,
			Lines: int64(l.Lines), Owner: string(l.Who.Kind), Model: maybe(l.Who.Model), Trace: maybe(l.Who.Trace),
			Prompt: number(l.Who.Prompt), Language: maybe(stats.LanguageOf(l.Path)), Born: stampOf(l.Born),
			Gone: stampOf(l.Gone), End: stampOf(l.End), SeenS: int64(l.End.Sub(l.Born).Seconds()),
		}
		if !l.Gone.IsZero() {
			row.GoneBy, row.LivedS = new(l.GoneBy.String()), new(int64(l.Gone.Sub(l.Born).Seconds()))
		}
		return m.row(t["lives"], row)
	})
}

// `reverts` finds the commits whose messages say that they revert others, in the words of git-revert(1).
func (m *maker) reverts() (map[refs.OID][]string, error) {
	const says = "This reverts commit "
	out, err := m.Repo.Git(m.ctx, nil, "log", "--no-show-signature", "--no-patch", "--no-notes", "--encoding=UTF-8", "-z",
		"--fixed-strings", "--grep="+says, "--format=%H%n%B", "HEAD", "--")
	if err != nil {
		return nil, err
	}
	found := map[refs.OID][]string{}
	for entry := range bytes.SplitSeq(out, []byte{0}) {
		lines := bufio.NewScanner(bytes.NewReader(entry))
		lines.Buffer(nil, len(entry)+1)
		if !lines.Scan() {
			continue
		}
		id, err := refs.ParseOID(lines.Text())
		if err != nil {
			continue
		}
		for lines.Scan() {
			text, reverts := bytes.CutPrefix(lines.Bytes(), []byte(says))
			if end := bytes.IndexAny(text, ". ,"); end >= 0 {
				text = text[:end]
			}
			if other, err := refs.ParseOID(string(text)); reverts && err == nil {
				found[id] = append(found[id], other.String())
			}
		}
	}
	return found, nil
}
