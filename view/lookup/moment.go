package lookup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// SnapshotExpiry is the setting for the age at which contents of snapshots expire. It has the values of gc.pruneExpire
// (git-config(1)).
const SnapshotExpiry = "trace.snapshotExpire"

// PlaceNamed finds a place in time by its name: a prompt (4f2a#3), a step (4f2a:12), a call, an event (@17). The result
// `known` is false for any other word, and for a name that git knows.
func (r *Resolver) PlaceNamed(ctx context.Context, word string) (p view.Place, known bool, err error) {
	at := strings.LastIndexAny(word, "#:")
	switch {
	case strings.HasPrefix(word, "@"):
		if _, err := strconv.Atoi(word[1:]); err != nil {
			return p, false, nil //nolint:nilerr // @{upstream} and its like
		}
		o, err := r.numbered(word, word[1:])
		return view.Place{Event: &o.Event}, err == nil, err
	case at > 0 && at+1 < len(word) && strings.Trim(word[at+1:], "0123456789") == "":
		n, err := strconv.Atoi(word[at+1:])
		if err != nil || r.isRevision(ctx, word) {
			return p, false, nil //nolint:nilerr // no number of a prompt is that long
		}
		if word[at] == ':' {
			o, found, err := r.stepOf(ctx, word[:at], n)
			if err == nil && !found && o.Trace != "" {
				err = NoSteps(o.Trace, n)
			}
			return view.Place{Trace: o.Trace, Step: o.Step}, found, err
		}
		p.Prompt = n
		p.Trace, err = r.numberIn(word[:at], PromptObject, n)
		return p, err == nil, err
	}
	call, found, err := r.callNamed(word)
	if err != nil || !found || r.isRevision(ctx, word) {
		return p, false, err
	}
	return view.Place{Call: call}, true, nil
}

// callNamed finds a tool call by its id or a prefix of it.
func (r *Resolver) callNamed(word string) (id string, found bool, err error) {
	if len(word) < FewestDigits {
		return "", false, nil
	}
	list, err := r.Known.Log().Find(word)
	for _, c := range list {
		if c.Kind == view.FoundToolCall && (c.ID == word || len(list) == 1) {
			return c.ID, true, err
		}
	}
	return "", false, err
}

// isRevision reports whether git knows a name as a commit, or as an object in a commit.
func (r *Resolver) isRevision(ctx context.Context, word string) bool {
	_, err := r.Repo.Git(ctx, nil, "rev-parse", "--verify", "--quiet", word)
	return err == nil
}

// Moment finds the snapshot of a place, and checks that it is kept. The parameter `word` is the name that the person
// typed.
func (r *Resolver) Moment(ctx context.Context, word string, p view.Place, after bool) (view.Moment, error) {
	m, err := r.Known.Moment(ctx, p, after)
	if errors.Is(err, view.ErrNoMoment) {
		return m, exit.Fail(exit.Finding, fmt.Errorf("%s: %w", word, err), r.Instead(p))
	}
	if err != nil {
		return m, err
	}
	return m, r.Kept(word, m)
}

// Kept returns an error if a snapshot is not kept here. The parameter `word` is the name that the person typed.
func (r *Resolver) Kept(word string, m view.Moment) error {
	objects := r.Repo.Objects()
	defer objects.Close()
	_, err := objects.Tree(m.Tree)
	if errors.Is(err, refs.ErrMissing) {
		return exit.Fail(exit.Finding, fmt.Errorf("%s: the snapshot was removed, or is in another clone", word),
			"snapshots are removed after "+SnapshotExpiry+"; git trace show "+word+" tells what changed then")
	}
	return err
}

// Instead returns the hint for a place without a snapshot.
func (r *Resolver) Instead(p view.Place) string {
	if p.Trace != "" {
		if c, found, err := r.Known.Conversation(p.Trace); err == nil && found && !c.Seen() {
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
