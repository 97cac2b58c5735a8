package unseen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/linediff"
)

// Search answers questions about commits without an anchor. It is not safe for concurrent use. Callers must close it.
type Search struct {
	repo    *refs.Repo
	index   *index.Index
	objects *refs.Objects
	recall  *trails.Recall
	older   *trails.OlderNames

	digest *index.Digest // nil before the first use
	kept   *kept
	ages   map[refs.OID]*age
	// beginning caches the result of began; nil before the first call.
	beginning *string
	// Caches for rewritten commits: see claimed and carriedFrom.
	claims  map[refs.OID][]refs.OID
	weighed map[refs.OID]*belief.Commit
	people  map[events.PatchID]person
	ended   map[string][]events.Event    // window_abandoned events by call; nil before the first use
	picked  func() map[refs.OID]refs.OID // see correlate.Picked
	given   map[refs.OID]*history.Commit // see Given
	added   map[refs.OID]int             // see Added
	named   map[string]bool              // see published
	here    map[int][]index.NamedCommit  // see heads
	passing bool                         // see Passing
	lacking bool                         // see Lacking
	err     error                        // the first error of a function that cannot return it
}

// New returns a search over the logs and the timelines of a repository. It does nothing until the first question.
func New(repo *refs.Repo, reader *index.Index) *Search {
	objects := repo.Objects()
	return &Search{
		repo: repo, index: reader, objects: objects, recall: trails.NewRecall(repo, objects),
		older: trails.NewOlderNames(repo),
		ages:  map[refs.OID]*age{}, claims: map[refs.OID][]refs.OID{}, weighed: map[refs.OID]*belief.Commit{},
		people: map[events.PatchID]person{}, added: map[refs.OID]int{}, named: map[string]bool{},
		here:   map[int][]index.NamedCommit{},
		picked: sync.OnceValue(func() map[refs.OID]refs.OID { return correlate.Picked(repo) }),
	}
}

// Close ends the processes and stores the answers for the next search.
func (s *Search) Close() {
	s.keep()
	s.older.Close()
	_ = s.objects.Close() // all needed objects have been read
}

// Untraced reports whether nothing was ever recorded, claimed or fetched: no log has an event, and no work tree has a
// timeline. Then all lines are unknown.
func Untraced(repo *refs.Repo, reader *index.Index) bool { return reader.Empty() && !repo.HasTraces() }

func (s *Search) untraced() bool { return Untraced(s.repo, s.index) }

// Question asks about lines of a file in a commit that has no anchor, or whose anchor does not know the lines.
type Question struct {
	Commit refs.OID
	Path   string // raw bytes
	// Elsewhere restricts the search to facts that the anchor could not have: the logs of other clones, and later claims
	// about the replaced commits.
	Elsewhere bool
	// Carried restricts the search to claims about the commits that this one replaced.
	Carried bool
	// Lines holds the numbers of the lines in question, from 1, and Texts their texts without white space. Without Texts
	// the question is about all lines that the commit added.
	Lines []int
	Texts [][]byte
}

// Answer holds the owners of the lines that the commit added to the file. Its zero value has no owner.
type Answer struct {
	Owners []events.AnchorOwner
	File   events.AnchorFile // runs over the added lines; an owner may be unknown
}

// Ask answers questions, in their order. If objects are missing, the answer is the zero value.
func (s *Search) Ask(ctx context.Context, questions []Question) ([]Answer, error) {
	answers := make([]Answer, len(questions))
	var open []int
	if s.untraced() {
		return answers, nil
	}
	if err := s.askClaims(ctx, questions, answers); err != nil {
		return nil, fmt.Errorf("search owners: %w", err)
	}
	if !slices.ContainsFunc(questions, s.canAnswer) {
		return answers, nil
	}
	if err := s.prepare(ctx); err != nil {
		return nil, fmt.Errorf("search owners: %w", err)
	}
	for i, q := range questions {
		if !s.canAnswer(q) || len(answers[i].Owners) > 0 {
			continue
		}
		if known, ok := s.recallAnswer(q); ok {
			answers[i] = known
		} else if s.mentioned(q) {
			open = append(open, i)
		} else {
			on := depends{}
			for _, text := range q.Texts {
				on.onLine(text)
			}
			on.onPaths(q.Path)
			s.remember(q, Answer{}, on, q.Lines...)
		}
	}
	if len(open) == 0 {
		return answers, nil
	}
	var commits []refs.OID
	for _, i := range open {
		commits = append(commits, questions[i].Commit)
	}
	young, err := s.young(ctx, commits)
	if err != nil {
		return nil, fmt.Errorf("search owners: %w", err)
	}
	changed, err := correlate.Changed(ctx, s.repo, young)
	if err != nil {
		return nil, fmt.Errorf("search owners: %w", err)
	}
	settled, err := s.settled(ctx, young)
	if err != nil {
		return nil, fmt.Errorf("search owners: %w", err)
	}
	for _, i := range open {
		q := questions[i]
		if s.old(q.Commit) {
			s.remember(q, Answer{}, depends{})
			continue
		}
		on, err := s.dependsOn(q.Commit)
		if err != nil {
			return nil, fmt.Errorf("search owners: %w", err)
		}
		on.lacking = s.ages[q.Commit] == nil
		for _, c := range changed[q.Commit] {
			if c.Path != q.Path {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			f, err := s.wholeFile(ctx, q.Commit, c, q.Elsewhere, true)
			if err != nil {
				return nil, fmt.Errorf("search for the owners of %.7s: %w", q.Commit, err)
			}
			if on.lacking = on.lacking || f == nil; f != nil {
				on.onFile(f, settled[q.Commit])
				answers[i] = f.answer()
			}
		}
		s.remember(q, answers[i], on)
	}
	return answers, nil
}

// prepare opens the digest of the logs and the stored answers.
func (s *Search) prepare(ctx context.Context) error {
	if s.digest != nil {
		return nil
	}
	d, err := s.index.Digest(ctx)
	if err != nil {
		return err
	}
	s.digest, s.kept = d, loadKept(s.repo, d, s.index.Alone())
	return nil
}

func (s *Search) canAnswer(q Question) bool { return !q.Elsewhere || !q.Carried && s.index.Logs() > 1 }

// `fail` stores the first failure.
func (s *Search) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// `mentioned` reports whether a log may know a line in question. Common lines are not indexed, so a question about
// common lines alone always needs a search. So does a question about a path with known contents: a formatter may have
// changed its lines before the commit. Digests of other clones have changes and no lines, so for them only the path
// counts.
func (s *Search) mentioned(q Question) bool {
	telling := false
	for _, text := range q.Texts {
		if !tells(text) {
			continue
		}
		telling = true
		if len(s.digest.Line(events.FingerprintOf(text))) > 0 {
			return true
		}
	}
	return !telling || q.Elsewhere || s.recall.Remembers(q.Path) || s.published(q.Path)
}

// `published` reports whether another clone has an anchor that names a path.
func (s *Search) published(path string) bool {
	if s.index.Logs() == 1 {
		return false
	}
	known, asked := s.named[path]
	if !asked {
		about, err := s.index.ByPath(path)
		s.fail(err)
		known = slices.ContainsFunc(about, func(e events.Event) bool {
			return e.Type == events.CommitAnchored && e.From != nil
		})
		s.named[path] = known
	}
	return known
}

// open reads a file of a commit. If the file cannot be read completely, open returns nil and adds the commit to the
// repository's [refs.LeftOut].
func (s *Search) open(commit refs.OID, c correlate.FileChange) (*file, error) {
	raw, err := s.objects.Blob(c.New)
	if err != nil {
		return nil, s.leaveOut(commit, err)
	}
	added, change, err := c.Hunks(s.objects, raw)
	if err != nil {
		return nil, s.leaveOut(commit, err)
	}
	return &file{
		Search: s, commit: commit, age: s.ages[commit], change: c, read: true, lines: linediff.Split(raw), added: added,
		id: change, owners: map[int]claim{},
	}, nil
}

// leaveOut returns an error unchanged, unless its cause is an unreadable object: then it notes the commit and returns
// nil.
func (s *Search) leaveOut(commit refs.OID, err error) error {
	var unread *refs.ReadError
	if !errors.As(err, &unread) && !errors.Is(err, refs.ErrOtherType) {
		return err
	}
	if !errors.Is(err, refs.ErrTooLarge) {
		s.repo.LeftOut.Note(commit)
	}
	return nil
}
