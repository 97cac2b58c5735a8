package intake

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/correlate/backfill"
	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/upkeep/keeping"
	"github.com/git-trace/git-trace/upkeep/testimony"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/facts"
	"github.com/git-trace/git-trace/view/lookup"
	"github.com/git-trace/git-trace/view/transcripts"
)

// Caller holds the values of a command: the repository, its streams, and its way to a reader.
type Caller struct {
	Repo     *refs.Repo
	Out, Err io.Writer
	Line     *terminal.StatusLine
	Open     func(context.Context, *refs.Repo, view.Options) (*view.Reader, error)
	JSON     bool
}

// backfillGrowth is the percentage by which the memory may grow between two garbage collections. It is small, because
// the edits of all sessions are in memory at once.
const backfillGrowth = 60

// Fill looks for the lines of session files, also of those below the named directories, in the commits of revisions.
func (b *Filler) Fill(ctx context.Context, revs, directories []string) error {
	b.ctx, b.brief = ctx, terminal.Is(b.Out) && !b.JSON
	list, err := b.commits(revs)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return b.sum()
	}
	env, err := companion.Env()
	if err != nil {
		return err
	}
	found, err := transcripts.Find(env, b.roots(), directories)
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	return b.read(list, found)
}

// read reads transcripts, and finds the commits that contain their lines.
func (b *Filler) read(list []history.Commit, found []*transcripts.Transcript) error {
	debug.SetGCPercent(backfillGrowth)
	shown := b.Line.Progress("sessions")
	found = transcripts.Read(b.ctx, found, shown.At)
	shown.Clear()
	return b.run(list, found)
}

// Filler adds conversations from transcripts to the log.
type Filler struct {
	Caller

	Dir string // as the person typed it
	Dry bool   // write nothing

	ctx    context.Context   // a filler lives for one command
	asked  map[refs.OID]bool // commits of the range
	newest time.Time
	lost   []history.Commit // commits of the range that are missing

	brief  bool // a terminal gets only the first rows
	rows   int
	lines  int
	filled int
	linked map[events.TraceID]bool
	found  bool // session files were found
	keeper *keeping.Keeper
}

// commits lists the history of the range, down to the root commits: lines of an earlier commit cannot come from a later
// edit.
func (b *Filler) commits(revs []string) ([]history.Commit, error) {
	if head, _, err := b.Repo.Head(); err == nil && head.IsZero() && len(revs) == 0 {
		return nil, nil
	}
	if len(revs) == 0 {
		revs = []string{"HEAD"}
	}
	out, err := b.Repo.Git(b.ctx, nil, append([]string{"rev-parse", "--revs-only"}, revs...)...)
	if err != nil {
		return nil, err
	}
	var tips, hidden []string
	for tip := range strings.FieldsSeq(string(out)) {
		if not, is := strings.CutPrefix(tip, "^"); is {
			hidden = append(hidden, not)
		} else if !strings.HasPrefix(tip, "-") {
			tips = append(tips, tip)
		}
	}
	if b.newest, err = b.newestCommit(); err != nil {
		return nil, err
	}
	b.asked = map[refs.OID]bool{}
	asked, err := b.Repo.Git(b.ctx, nil, append(append([]string{"rev-list"}, revs...), "--")...)
	if err != nil && len(tips) > 0 {
		if list, readable := b.past(tips, hidden); readable {
			return list, nil
		}
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.FieldsSeq(string(asked)) {
		if id, err := refs.ParseOID(line); err == nil {
			b.asked[id] = true
		}
	}
	if len(b.asked) == 0 {
		return nil, nil
	}
	if len(tips) == 0 {
		tips = revs
	}
	return history.List(b.ctx, b.Repo, append(tips, "--")...)
}

// past does the work of commits for a history with unreadable commits. `readable` is false if git refuses for another
// reason.
func (b *Filler) past(tips, hidden []string) (list []history.Commit, readable bool) {
	read := func(names []string) ([]history.Commit, bool) {
		var ids []refs.OID
		for _, name := range names {
			if id, err := refs.ParseOID(name); err == nil {
				ids = append(ids, id)
			}
		}
		all, unread, err := history.Past(b.Repo, ids)
		b.lost = append(b.lost, unread...)
		return all, err == nil
	}
	if list, readable = read(tips); !readable || len(b.lost) == 0 {
		return nil, false
	}
	for i := range list {
		b.asked[list[i].ID] = true
	}
	if len(hidden) > 0 {
		without, _ := read(hidden)
		for i := range without {
			delete(b.asked, without[i].ID)
		}
	}
	return list, true
}

// newestCommit returns the date of the newest commit of any branch.
func (b *Filler) newestCommit() (time.Time, error) {
	out, err := b.Repo.Git(b.ctx, nil, "for-each-ref", "--sort=-committerdate", "--count=1",
		"--format=%(committerdate:unix)", "refs/heads", "refs/remotes")
	if err != nil {
		return time.Time{}, err
	}
	var seconds int64
	if _, err := fmt.Sscan(string(out), &seconds); err != nil {
		return time.Time{}, nil //nolint:nilerr // no branch: the commits of the range will do
	}
	return time.Unix(seconds, 0), nil
}

func (b *Filler) run(list []history.Commit, found []*transcripts.Transcript) error {
	objects := b.Repo.Objects()
	defer func() { _ = objects.Close() }()
	byTrace := map[events.TraceID]*transcripts.Transcript{}
	var sessions []backfill.Session
	b.found = len(found) > 0
	for _, t := range found {
		if t.Err != nil {
			fmt.Fprintf(b.Err, "git-trace: warning: %s\n", cells.Message(t.Path+": "+refs.PathCause(t.Err).Error()))
			continue
		}
		if err := t.FromTrees(b.ctx, b.Repo); err != nil {
			return err
		}
		if len(t.Session.Edits) > 0 {
			sessions = append(sessions, t.Session)
			byTrace[t.Session.Trace] = t
		}
	}
	options := backfill.Options{
		Roots: b.roots(), Remotes: b.remotes(), Last: b.newest,
		Blob: func(id refs.OID) ([]byte, error) { return objects.Blob(id) },
		Hash: func(content []byte) refs.OID { return b.Repo.Format.Hash(refs.BlobObject, content) },
		Commit: func(id string) (refs.OID, bool) {
			commit, typ, err := objects.Resolve(id + "^{commit}")
			return commit, isHex(id) && err == nil && typ == refs.CommitObject
		},
	}
	known := facts.NewKnown()
	if !b.Dry {
		options.Read = func(c *history.Commit) error {
			if len(c.Parents) > 1 || len(c.Unread) > 0 {
				return nil
			}
			return known.Add(c.ID, c.Records(), c.Patch)
		}
	}
	shown := b.Line.Progress("commits")
	result, err := backfill.Find(b.ctx, b.Repo, list, sessions, options, shown.At)
	shown.Clear()
	if err != nil {
		return err
	}
	if b.keeper, err = keeping.NewKeeper(b.ctx, b.Repo, b.Dry, byTrace, result.Roots, b.Err); err != nil {
		return exit.Fail(exit.Unchecked, err,
			"nothing is written until that is fixed; with trace.records=false no conversation is stored")
	}
	defer b.keeper.Close()
	damage := &unread{w: b.Err, partial: b.isPartial()}
	for _, list := range [...][]history.Commit{b.lost, result.Unread} {
		for i := range list {
			damage.note(&list[i])
		}
	}
	if err := b.tell(result.Claims); err != nil {
		return err
	}
	err = b.store(byTrace, known)
	if told := b.sum(); err == nil { // last, because the records take most of the time
		err = told
	}
	if err != nil {
		return err
	}
	return damage.fault()
}

// store compares the sessions with the log, and stores the records of the linked sessions.
func (b *Filler) store(byTrace map[events.TraceID]*transcripts.Transcript, known *facts.Known) error {
	noted, err := b.keeper.Noted()
	if err != nil {
		return err
	}
	if err := b.testify(byTrace, noted); err != nil {
		return err
	}
	return b.keeper.Keep(b.ctx, noted, known, b.Line)
}

// isPartial reports whether this is a partial clone: git left objects on a remote, and git-trace does not fetch them.
func (b *Filler) isPartial() bool {
	promised, _ := filepath.Glob(filepath.Join(b.Repo.MainObjects(), "pack", "*.promisor")) // the pattern is valid
	return len(promised) > 0
}

func isHex(text string) bool {
	return len(text) >= lookup.FewestDigits && strings.Trim(text, "0123456789abcdef") == ""
}

// roots returns the paths under which agents may know the work trees of the repository.
func (b *Filler) roots() []string {
	var out []string
	add := func(root string) {
		if root = strings.TrimSuffix(filepath.ToSlash(root), "/"); root != "" && !slices.Contains(out, root) {
			out = append(out, root)
		}
	}
	add(b.Repo.WorkTree)
	if listed, err := b.Repo.Git(b.ctx, nil, "worktree", "list", "--porcelain", "-z"); err == nil {
		for entry := range strings.SplitSeq(string(listed), "\x00") {
			if root, ok := strings.CutPrefix(entry, "worktree "); ok {
				add(root)
			}
		}
	}
	if here, err := filepath.Abs(b.Dir); err == nil {
		for here != filepath.Dir(here) { // the path that the user typed, with its links
			if real, err := filepath.EvalSymlinks(here); err == nil && real == b.Repo.WorkTree {
				add(here)
			}
			here = filepath.Dir(here)
		}
	}
	for _, root := range slices.Clone(out) {
		if real, err := filepath.EvalSymlinks(root); err == nil {
			add(real)
		}
		if rest, ok := strings.CutPrefix(root, "/private/"); ok { // macOS
			add("/" + rest)
		}
	}
	return out
}

func (b *Filler) remotes() []string {
	config, err := b.Repo.Config(b.ctx)
	if err != nil {
		return nil
	}
	names, err := b.Repo.Git(b.ctx, nil, "remote")
	if err != nil {
		return nil
	}
	var out []string
	for name := range strings.FieldsSeq(string(names)) {
		out = append(out, config.All("remote."+name+".url")...)
	}
	return out
}

// testify compares the sessions with the log, if this repository is recorded.
func (b *Filler) testify(found map[events.TraceID]*transcripts.Transcript, stored []waiting.Session) error {
	if b.Dry || !recorded.Is(b.Repo) {
		return nil
	}
	reader, err := b.Open(b.ctx, b.Repo, view.Options{LogOnly: true})
	if err != nil {
		return err
	}
	defer reader.Close()
	return (&testimony.Witnesses{Repo: b.Repo}).Compare(b.ctx, reader.Log(), found, stored)
}
