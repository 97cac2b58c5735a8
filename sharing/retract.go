package sharing

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Retract removes this clone's publications from a remote: its texts, or everything. It also lowers the remote's level,
// so that the next push does not send them again. It returns the deleted refs. Clones that have fetched them keep them
// until their next pull.
func (s *Settings) Retract(ctx context.Context, log *events.Log, remote Remote, texts bool) ([]Pushed, error) {
	own, err := log.Writer()
	if err != nil {
		return nil, err
	}
	if own == "" {
		return nil, ErrNothing
	}
	repo := log.Repo()
	url, err := s.PushURL(ctx, repo, remote.Name)
	if err != nil {
		return nil, err
	}
	found, err := there(ctx, repo, url, remote.Prefix+own+"/*")
	if err != nil {
		return nil, err
	}
	p := &Plan{Remote: remote, Writer: own, repo: repo, log: log}
	for name, id := range found {
		kind := strings.TrimPrefix(name, p.ref(""))
		if strings.HasPrefix(kind, "archive/") { // from other writers
			continue
		}
		if !texts || kind == "records" {
			p.Refs = append(p.Refs, Ref{Name: name, Old: id, Force: true, kept: p.kept(kind)})
		}
	}
	if err := narrow(ctx, repo, remote, url, texts); err != nil {
		return nil, err
	}
	if len(p.Refs) == 0 {
		return nil, nil
	}
	err = p.send(ctx, true, p.Refs)
	return p.arrived(ctx, err)
}

// `narrow` lowers the level of a remote after a retraction.
func narrow(ctx context.Context, repo *refs.Repo, remote Remote, url string, texts bool) error {
	switch {
	case !texts && remote.Share != LevelNone:
		key := "remote." + remote.Name + ".traceShare"
		if _, err := repo.Git(ctx, nil, "config", "--local", key, string(LevelNone)); err != nil {
			return fmt.Errorf("keep the choice: %w", err)
		}
	case texts && remote.Share.Wider(LevelCommits):
		return Settle(ctx, repo, remote.Name, LevelCommits, url)
	}
	return nil
}
