package gitblame

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// questions are the lines for one call of [gitdiff.Each], and the commit of each line.
type questions struct {
	lines   []string
	commits []refs.OID
}

func (q *questions) add(commit refs.OID, line string) {
	q.lines, q.commits = append(q.lines, line), append(q.commits, commit)
}

// list reads the commits. It returns what git must compare: each single commit, each merge with its parents but the
// last, and each merge with all parents at once. The last parent has the same file as the merge unless another parent
// or none has it, and its comparison would list all that happened beside a branch.
func (h *History) list(ctx context.Context, repo *refs.Repo) (single, firsts, merges *questions, err error) {
	single, firsts, merges = &questions{}, &questions{}, &questions{}
	all, err := readPasts(ctx, repo, nil, append(refs.Everywhere(), h.sinceOption(), "--")...)
	if err != nil {
		return nil, nil, nil, err
	}
	for i, p := range all {
		h.commits[p.told.ID], p.number = p, i
		id := p.told.ID.String()
		switch last := len(p.parents) - 1; last {
		case -1:
			single.add(p.told.ID, id)
		case 0:
			single.add(p.told.ID, id+" "+p.parents[0].String())
		default:
			for _, parent := range p.parents[:last] {
				firsts.add(p.told.ID, id+" "+parent.String())
			}
			merges.add(p.told.ID, id)
		}
	}
	h.order = all
	var begin bytes.Buffer
	for _, p := range all {
		for _, parent := range p.parents {
			if h.commits[parent] == nil {
				begin.WriteString(parent.String() + "\n")
			}
		}
	}
	if begin.Len() == 0 {
		return single, firsts, merges, nil
	}
	older, err := readPasts(ctx, repo, &begin, "--no-walk=unsorted", "--ignore-missing", "--stdin")
	for _, p := range older {
		p.told.Boundary = true
		h.older[p.told.ID] = p.told
	}
	return single, firsts, merges, err
}

func (h *History) sinceOption() string {
	return fmt.Sprintf("--since=@%d +0000", max(h.since.Unix(), 0))
}

// readPasts reads commits with git-log(1).
func readPasts(ctx context.Context, repo *refs.Repo, stdin io.Reader, args ...string) (list []*past, err error) {
	const form = "tformat:%H%x00%P%x00%aN%x00<%aE>%x00%ad%x00%cN%x00<%cE>%x00%cd%x00%B"
	out, err := repo.Git(ctx, stdin, append([]string{"log", "-z", "--use-mailmap", "--no-show-signature", "--no-notes",
		"--no-color", "--date=raw", "--format=" + form}, args...)...)
	if err != nil {
		return nil, err
	}
	fields := strings.Split(string(out), "\x00")
	for ; len(fields) >= 9; fields = fields[9:] {
		id, err := refs.ParseOID(fields[0])
		p := &past{told: &Commit{ID: id, Summary: cmp.Or(subject(fields[8]), "("+fields[0]+")")}}
		err = errors.Join(err, person(&p.told.Author, fields[2:5]), person(&p.told.Committer, fields[5:8]))
		for text := range strings.FieldsSeq(fields[1]) {
			parent, wrong := refs.ParseOID(text)
			err = errors.Join(err, wrong)
			p.parents = append(p.parents, parent)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// subject returns the summary that git blame shows: the first line of a message that is not blank.
func subject(message string) string {
	for line := range strings.Lines(message) {
		if line = strings.TrimSuffix(line, "\n"); strings.TrimSpace(line) != "" {
			return line
		}
	}
	return ""
}

// person reads a name, an address and a raw date.
func person(p *Person, fields []string) (err error) {
	seconds, zone, _ := strings.Cut(fields[2], " ")
	p.Name, p.Mail, p.TZ = fields[0], fields[1], zone
	p.Time, err = strconv.ParseInt(seconds, 10, 64)
	return err
}

// fewPaths is the number of paths up to which a history has only these. Git compares each name of a tree with each
// path, so with many paths it is faster to read the changes of all files.
const fewPaths = 64

// readCombined reads the files of a merge that differ from all parents, by parent.
func (h *History) readCombined(r *gitdiff.Reader) ([]map[string]*change, error) {
	lists, err := r.Combined()
	if err != nil || len(lists) == 0 {
		return make([]map[string]*change, 1), err
	}
	read := make([]changes, len(lists))
	for i := range read {
		read[i] = make(changes, len(lists[i]))
	}
	err = r.CombinedPatch(len(lists), len(lists[0]), func(parent, file int, hunk gitdiff.Hunk) {
		read[parent].Hunk(file, hunk)
	})
	found := make([]map[string]*change, len(lists))
	for i, list := range lists {
		found[i] = map[string]*change{}
		for at := range list {
			h.note(found[i], &list[at], &read[i][at])
		}
	}
	return found, err
}

// readChanges reads the changes against one parent, by path.
func (h *History) readChanges(r *gitdiff.Reader) ([]map[string]*change, error) {
	records, err := r.Records()
	if err != nil {
		return nil, err
	}
	read := make(changes, len(records))
	if err := r.Patch(records, read); err != nil {
		return nil, err
	}
	return []map[string]*change{h.changesOf(records, read)}, nil
}

// changesOf returns the changes of records by path.
func (n *notes) changesOf(records []gitdiff.Record, read changes) map[string]*change {
	gone := slices.ContainsFunc(records, func(f gitdiff.Record) bool { return f.NewMode == 0 || f.OldPath != f.Path })
	byPath := make(map[string]*change, len(records))
	for i := range records {
		c := &read[i]
		c.fresh = records[i].OldMode == 0 && !gone && n.paths == nil
		n.note(byPath, &records[i], c)
	}
	return byPath
}

// note adds a change to the changes from one parent. Git shows no lines of a binary file.
func (n *notes) note(byPath map[string]*change, f *gitdiff.Record, c *change) {
	c.odd = !regular(f.OldMode) || !regular(f.NewMode) || f.OldPath != f.Path || len(c.hunks) == 0 && f.Old != f.New
	for _, path := range []string{f.Path, f.OldPath} {
		if n.has(path) {
			byPath[n.one(path)] = c
		}
	}
	if f.OldPath != f.Path && !slices.Contains(n.renamed[f.OldPath], f.Path) {
		n.renamed[f.OldPath] = append(n.renamed[f.OldPath], f.Path)
	}
}

// `one` returns the same string for equal paths, so that each is in memory once.
func (n *notes) one(path string) string {
	if had, is := n.names[path]; is {
		return had
	}
	path = strings.Clone(path)
	n.names[path] = path
	return path
}

// changes collects hunks, by index of their record.
type changes []change

// Hunk implements gitdiff.Lines.
func (c changes) Hunk(record int, h gitdiff.Hunk) {
	c[record].hunks = append(c[record].hunks, hunkOf(h))
}

// Removed implements gitdiff.Lines.
func (c changes) Removed([]byte) {}

// Added implements gitdiff.Lines.
func (c changes) Added([]byte) {}
