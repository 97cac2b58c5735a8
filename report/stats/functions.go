package stats

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/function"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// placer finds the functions of lines, and adds them to the lines' commits. It runs git for many files at once.
type placer struct {
	ctx  context.Context
	repo *refs.Repo
	jobs []job
	size int
}

// job is a content of a file, and lines in it.
type job struct {
	file function.Content
	runs []placedRun
}

// placedRun is a run of lines of one contributor of a commit.
type placedRun struct {
	commit       *graph.Commit
	who          int // index of the contributor
	tool         string
	start, count int
}

// mostPlaced limits the contents in memory, in bytes.
const mostPlaced = 32 << 20

func (p *placer) add(j job) error {
	p.jobs = append(p.jobs, j)
	if p.size += len(j.file.Text); p.size < mostPlaced {
		return nil
	}
	return p.flush()
}

// flush finds the functions in all collected files, and adds the lines to their commits.
func (p *placer) flush() error {
	finder := function.NewFinder(p.ctx, p.repo)
	files := make([]function.Content, len(p.jobs))
	for i := range p.jobs {
		files[i] = p.jobs[i].file
	}
	if err := finder.Learn(files...); err != nil {
		return err
	}
	for _, j := range p.jobs {
		found := finder.Functions(j.file)
		for _, r := range j.runs {
			at := 0
			for line := r.start; line < r.start+r.count; {
				for at < len(found) && line >= found[at].Start+found[at].Count {
					at++
				}
				for at > 0 && line < found[at-1].Start+found[at-1].Count {
					at--
				}
				until, name := r.start+r.count, ""
				if at < len(found) {
					until = min(until, found[at].Start+found[at].Count)
					name = functionKey(&found[at], j.file.Path)
				}
				r.commit.Functions = append(r.commit.Functions, graph.FunctionLines{Who: r.who, Function: name,
					ToolLines: graph.ToolLines{Tool: r.tool, FileLines: graph.FileLines{Path: j.file.Path, Lines: until - line}}})
				line = until
			}
		}
	}
	p.jobs, p.size = nil, 0
	return nil
}

// functionKey names a function in the form that git trace track accepts.
func functionKey(f *function.Function, path string) string {
	if f.Line == 0 {
		return "(before the first function):" + path
	}
	return f.Name + ":" + path
}

// placeCommits finds the functions of the lines that commits added, in the commits' versions of the files. The commits
// must be counted, and have Believed. If git does not report the place of a line, the line's function is empty.
func placeCommits(ctx context.Context, repo *refs.Repo, commits []*graph.Commit) error {
	objects := repo.Objects()
	defer func() { _ = objects.Close() }()
	p := &placer{ctx: ctx, repo: repo}
	added, err := addedLines(ctx, repo, commits)
	if err != nil {
		return err
	}
	for _, c := range commits {
		l := placing{commit: c, at: map[string]int{}, left: make([]int, len(c.Contributors)), nobody: -1}
		for i := range c.Contributors {
			who := &c.Contributors[i]
			l.at[who.Key()], l.left[i] = i, who.Lines
			if !who.Kind.Known() {
				l.nobody = i
			}
		}
		for _, file := range l.files(added[c.ID]) {
			text, err := objects.Blob(file.blob)
			if err != nil {
				repo.LeftOut.Note(c.ID)
				continue
			}
			for _, r := range file.runs {
				l.left[r.who] -= r.count
			}
			if err := p.add(job{function.Content{Path: file.path, Text: text}, file.runs}); err != nil {
				return err
			}
		}
		for who, lines := range l.left {
			if lines > 0 {
				rest := graph.FunctionLines{Who: who}
				rest.Lines = lines
				c.Functions = append(c.Functions, rest)
			}
		}
	}
	return p.flush()
}

// placing holds the lines of one commit while their functions are found.
type placing struct {
	commit *graph.Commit
	at     map[string]int // index of each contributor, by key
	left   []int          // number of each contributor's lines without a place
	nobody int            // index of the contributor for unknown lines; -1 for none
}

// placedFile is a file of a commit, and the runs of contributors in it.
type placedFile struct {
	path string
	blob refs.OID
	runs []placedRun
}

// files returns the runs of lines with a place: the believed ones, and the other added lines as unknown.
func (l *placing) files(added []addedFile) []placedFile {
	var out []placedFile
	named := func(path string) bool {
		_, is := l.commit.Within[path]
		return is || l.commit.Within == nil
	}
	taken := map[string]map[int]bool{}
	if b := l.commit.Believed; b != nil {
		for i := range b.Files {
			f := &b.Files[i]
			if !named(f.Path) {
				continue
			}
			file := placedFile{path: f.Path, blob: f.Blob}
			taken[f.Path] = map[int]bool{}
			for k := range f.Runs {
				r := &f.Runs[k]
				who := graph.ContributorOf(r.Owner)
				at, known := l.at[who.Key()]
				if !who.Kind.Known() {
					at, known = l.nobody, l.nobody >= 0
				}
				if r.Beyond || !known {
					continue
				}
				tool := ""
				if who.Kind == events.OwnerAI {
					tool = r.Owner.Tool
				}
				file.runs = append(file.runs, placedRun{l.commit, at, tool, r.Start, r.Count})
				for line := r.Start; line < r.Start+r.Count; line++ {
					taken[f.Path][line] = true
				}
			}
			out = append(out, file)
		}
	}
	rest := 0
	if l.nobody >= 0 {
		rest = l.left[l.nobody]
		for _, f := range out {
			for _, r := range f.runs {
				if r.who == l.nobody {
					rest -= r.count
				}
			}
		}
	}
	for _, f := range added {
		if !named(f.path) {
			continue
		}
		file := placedFile{path: f.path, blob: f.blob}
		for _, line := range f.lines {
			if rest <= 0 || taken[f.path][line] {
				continue
			}
			rest--
			if n := len(file.runs) - 1; n >= 0 && file.runs[n].start+file.runs[n].count == line {
				file.runs[n].count++
				continue
			}
			file.runs = append(file.runs, placedRun{l.commit, l.nobody, "", line, 1})
		}
		if len(file.runs) > 0 {
			out = append(out, file)
		}
	}
	return out
}

// addedFile is a file that a commit changed, with the numbers of its added lines.
type addedFile struct {
	path  string
	blob  refs.OID
	lines []int
}

// addedLines gets the numbers of added lines from git, for commits with unknown lines. Merges have none, as in
// [graph.Added].
func addedLines(ctx context.Context, repo *refs.Repo, commits []*graph.Commit) (map[refs.OID][]addedFile, error) {
	var ids []string
	for _, c := range commits {
		if len(c.Parents) < 2 && slices.ContainsFunc(c.Contributors, func(w graph.Contributor) bool {
			return !w.Kind.Known()
		}) {
			ids = append(ids, c.ID.String())
		}
	}
	out := map[refs.OID][]addedFile{}
	args := append([]string{"--root"}, gitdiff.Patch()...)
	_, err := gitdiff.Each(ctx, repo, args, ids, func(i int, r *gitdiff.Reader) (func() error, error) {
		r.MaxLine = 1 << 10 // the texts of lines are not needed
		records, err := r.Records()
		if err != nil {
			return nil, err
		}
		into := &addedIn{files: make([]addedFile, len(records))}
		for k, record := range records {
			into.files[k].path, into.files[k].blob = record.Path, record.New
		}
		if err := r.Patch(records, into); err != nil {
			return nil, err
		}
		return func() error {
			id, err := refs.ParseOID(ids[i])
			out[id] = into.files
			return err
		}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("find added lines: %w", err)
	}
	return out, nil
}

// addedIn collects the numbers of added lines from a patch.
type addedIn struct {
	files    []addedFile
	at, next int
}

func (a *addedIn) Hunk(record int, h gitdiff.Hunk) { a.at, a.next = record, h.NewStart }

func (a *addedIn) Removed([]byte) {}

func (a *addedIn) Added([]byte) {
	a.files[a.at].lines = append(a.files[a.at].lines, a.next)
	a.next++
}
