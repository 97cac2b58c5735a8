package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/diff"
	"github.com/git-trace/git-trace/view"
)

// placeNamed finds a place in time by its name: a prompt (4f2a#3), a step (4f2a:12), a call, an event (@17). known is
// false for any other word, and for a name that git knows.
func (r *resolver) placeNamed(ctx context.Context, word string) (p view.Place, known bool, err error) {
	at := strings.LastIndexAny(word, "#:")
	switch {
	case strings.HasPrefix(word, "@"):
		if _, err := strconv.Atoi(word[1:]); err != nil {
			return p, false, nil //nolint:nilerr // @{upstream} and its like
		}
		o, err := r.numbered(word, word[1:])
		return view.Place{Event: &o.event}, err == nil, err
	case at > 0 && at+1 < len(word) && strings.Trim(word[at+1:], "0123456789") == "":
		n, err := strconv.Atoi(word[at+1:])
		if err != nil || r.isRevision(ctx, word) {
			return p, false, nil //nolint:nilerr // no number of a prompt is that long
		}
		if word[at] == ':' {
			o, found, err := r.stepOf(ctx, word[:at], n)
			if err == nil && !found && o.trace != "" {
				err = noSteps(o.trace, n)
			}
			return view.Place{Trace: o.trace, Step: o.step}, found, err
		}
		p.Prompt = n
		p.Trace, err = r.numberIn(word[:at], promptObject, n)
		return p, err == nil, err
	}
	call, found, err := r.callNamed(word)
	if err != nil || !found || r.isRevision(ctx, word) {
		return p, false, err
	}
	return view.Place{Call: call}, true, nil
}

// callNamed finds a tool call by its id or a prefix of it.
func (r *resolver) callNamed(word string) (id string, found bool, err error) {
	if len(word) < fewestDigits {
		return "", false, nil
	}
	list, err := r.known.Log().Find(word)
	for _, c := range list {
		if c.Kind == view.FoundToolCall && (c.ID == word || len(list) == 1) {
			return c.ID, true, err
		}
	}
	return "", false, err
}

// isRevision reports whether git knows a name as a commit, or as an object in a commit.
func (r *resolver) isRevision(ctx context.Context, word string) bool {
	_, err := r.repo.Git(ctx, nil, "rev-parse", "--verify", "--quiet", word)
	return err == nil
}

// moment finds the snapshot of a place, and checks that it is kept. word is the name that the person typed.
func (r *resolver) moment(ctx context.Context, word string, p view.Place, after bool) (view.Moment, error) {
	m, err := r.known.Moment(ctx, p, after)
	if errors.Is(err, view.ErrNoMoment) {
		return m, exit.Fail(exit.Finding, fmt.Errorf("%s: %w", word, err), r.instead(p))
	}
	if err != nil {
		return m, err
	}
	return m, r.kept(word, m)
}

// kept returns an error if a snapshot is not kept here. word is the name that the person typed.
func (r *resolver) kept(word string, m view.Moment) error {
	objects := r.repo.Objects()
	defer objects.Close()
	_, err := objects.Tree(m.Tree)
	if errors.Is(err, refs.ErrMissing) {
		return exit.Fail(exit.Finding, fmt.Errorf("%s: the snapshot was removed, or is in another clone", word),
			"snapshots are removed after "+expireKey+"; git trace show "+word+" tells what changed then")
	}
	return err
}

// instead suggests another moment if no snapshot was taken.
func (r *resolver) instead(p view.Place) string {
	if p.Trace != "" {
		if c, found, err := r.known.Conversation(p.Trace); err == nil && found && !c.Seen() {
			why := "only its session file is known"
			if slices.Contains(c.Sources, view.Digest) {
				why = "snapshots are only in the clone that took them"
			}
			return why + "; only its commits are kept: git trace show " + string(p.Trace)[:8]
		}
		return "git trace show " + string(p.Trace)[:8] + " lists its prompts and calls"
	}
	return "git trace events lists the recorded events"
}

// findMoments replaces prompts, steps and calls in the options with the trees of their snapshots.
func (a *app) findMoments(repo *refs.Repo, known *conversations, dir string, opts *diff.Options) error {
	r := resolver{repo: repo, known: known}
	work, err := opts.FindMoments(func(word string, after bool) (s diff.Snapshot, found bool, err error) {
		if _, err := os.Lstat(filepath.Join(dir, word)); err == nil {
			return s, false, nil
		}
		p, found, err := r.placeNamed(a.life, word)
		if err != nil || !found {
			return s, false, err
		}
		m, err := r.moment(a.life, word, p, after)
		name := word
		if after {
			name += " (its end)"
		}
		s = diff.Snapshot{Tree: m.Tree, Side: diff.Side{Kind: diff.Moment, Rev: name}}
		if !m.Head.IsZero() {
			s.Side.Head = m.Head.String()
		}
		return s, true, err
	})
	if errors.Is(err, diff.ErrMergeBase) {
		return exit.Usage("%w; name the two with a blank or .. between them", err)
	}
	if err != nil || !work {
		return err
	}
	if repo.Bare() {
		return refs.ErrBare
	}
	taken, err := takeSnapshot(a.life, repo)
	if err == nil {
		opts.CompareWith(taken.Tree)
	}
	return err
}
