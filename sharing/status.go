package sharing

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// State describes a remote without contacting it.
type State struct {
	Remote  string `json:"remote"`  // name of the remote, or the label of a URL
	Level   Level  `json:"level"`   // the chosen level
	Moved   bool   `json:"moved"`   // the remote's URL has changed since the choice: nothing is sent
	Commits int    `json:"commits"` // commits whose owners this clone has published on the remote
	Waiting int    `json:"waiting"` // recorded commits of the remote whose owners are not published on it
	Writers int    `json:"writers"` // other writers whose logs were fetched from the remote
	// `Heard` is the time of the last pull with new data from other writers; zero if there was none.
	Heard time.Time `json:"heard,omitzero"`
	// Failed describes failing automatic pushes; absent if none has failed.
	Failed *Failed `json:"failed,omitempty"`
}

// States lists the remotes that share something, by their names.
func States(ctx context.Context, log *events.Log) ([]State, error) {
	s, err := ReadSettings(ctx, log.Repo())
	if err != nil {
		return nil, err
	}
	own, err := log.Writer()
	if err != nil {
		return nil, err
	}
	fetched, err := log.Fetched(ctx)
	if err != nil {
		return nil, err
	}
	var out []State
	for _, name := range s.names {
		if r := s.remote(name); r.Share != LevelNone {
			state, err := s.stateOf(ctx, log, r, own)
			if err != nil {
				return nil, err
			}
			out = append(out, state)
		}
	}
	writers := map[string][]string{}
	for _, f := range fetched {
		if f.Writer != "" && f.Writer != own && !f.Aside && !slices.Contains(writers[f.Remote], f.Writer) {
			writers[f.Remote] = append(writers[f.Remote], f.Writer)
		}
	}
	for label, list := range writers {
		at := slices.IndexFunc(out, func(s State) bool { return s.Remote == label })
		if at < 0 {
			at, out = len(out), append(out, State{Remote: label, Level: LevelNone})
		}
		out[at].Writers = len(list)
		for _, last := range readSeen(log.Repo(), Remote{Label: label}) {
			if last.Time.After(out[at].Heard) {
				out[at].Heard = last.Time
			}
		}
	}
	slices.SortFunc(out, func(a, b State) int { return strings.Compare(a.Remote, b.Remote) })
	return out, nil
}

// stateOf compares the commits in this clone's log with the published ones. It takes the remote's commits from its
// branches at the last fetch or push.
func (s *Settings) stateOf(ctx context.Context, log *events.Log, r Remote, own string) (State, error) {
	out := State{Remote: r.Name, Level: r.Share, Failed: autoFailed(log.Repo(), r)}
	if url, err := s.PushURL(ctx, log.Repo(), r.Name); err != nil || Bare(url) != r.Pinned {
		out.Moved = true // or the remote has no push URL now
	}
	if own == "" {
		return out, nil
	}
	told, err := anchoredOn(ctx, log, events.FetchedRef(r.Label, own, "digest"))
	if err != nil {
		return out, err
	}
	recorded, err := anchoredOn(ctx, log, refs.EventsRef)
	if err != nil {
		return out, err
	}
	out.Commits = len(told)
	maps.DeleteFunc(recorded, func(c refs.OID, _ bool) bool { return told[c] })
	waiting, err := log.Repo().LedTo(ctx, slices.Collect(maps.Keys(recorded)), "--glob=refs/remotes/"+r.Code+"/*")
	if err != nil {
		return out, err
	}
	for _, there := range waiting {
		if there {
			out.Waiting++
		}
	}
	return out, nil
}

// anchoredOn returns the commits that the log on a ref anchors.
func anchoredOn(ctx context.Context, log *events.Log, ref string) (map[refs.OID]bool, error) {
	c, err := log.Copy(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("what is shared: %w", err)
	}
	defer c.Close()
	all, err := ofTypes(c, events.CommitAnchored)
	if err != nil {
		return nil, fmt.Errorf("what is shared: %w", err)
	}
	return anchored(all), nil
}
