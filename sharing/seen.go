package sharing

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/zeebo/blake3"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/checkpoint"
	"github.com/git-trace/git-trace/refs"
)

// seen is how far each log of a remote went when it was last pulled, by the ref here. A log that does not hold that
// event any more was rewound or made anew.
type seen map[string]lastSeen

type lastSeen struct {
	Seq    int64     `json:"seq"`
	Event  events.ID `json:"event"`
	Commit refs.OID  `json:"commit"`
	Time   time.Time `json:"time"`          // of the pull
	Key    string    `json:"key,omitempty"` // with which the publications of the writer are signed, once one was
}

func seenPath(repo *refs.Repo, r Remote) string {
	sum := blake3.Sum256([]byte(r.Label))
	return filepath.Join(repo.TracesDir(), "seen", fmt.Sprintf("%x.json", sum[:8]))
}

// readSeen reads what was noted; what cannot be read was not.
func readSeen(repo *refs.Repo, r Remote) seen {
	out := seen{}
	if raw, err := refs.ReadFile(seenPath(repo, r)); err == nil {
		_ = json.Unmarshal(raw, &out) // a damaged note is made anew
	}
	return out
}

// check holds a log against what was seen of it, the key of its publications too, and puts the ref back that it had
// then, unless the person accepts what the remote shows now. It gives what is wrong, and notes how far the log goes.
func (s seen) check(ctx context.Context, log *events.Log, c *events.FetchedCopy, accept []string) (string, error) {
	was, known := s[c.Ref]
	if known && was.Commit != c.Tip && !slices.Contains(accept, c.Writer) {
		at, found, err := c.Copy.Event(was.Seq)
		if err != nil {
			return "", err
		}
		if !found || at.ID != was.Event {
			what := fmt.Sprintf("it is without event %d that it showed on %s", was.Seq, was.Time.Format("2 Jan 2006"))
			return putBack(ctx, log, c.Ref, was, what)
		}
	}
	key := was.Key
	if c.Digest && was.Commit != c.Tip {
		s, err := checkpoint.OfCommit(ctx, log.Repo(), c.Tip)
		if err != nil {
			return "", err
		}
		if key != "" && s.Key != key && !slices.Contains(accept, c.Writer) {
			what := "it is signed by " + s.By() + ", and was by " + key
			if s.Key == "" {
				what = "it was signed by " + key + "; now " + s.Why()
			}
			return putBack(ctx, log, c.Ref, was, what)
		}
		key = s.Key
	}
	last, _, err := c.Copy.Event(c.Copy.Last())
	if err == nil && was.Commit != c.Tip {
		s[c.Ref] = lastSeen{c.Copy.Last(), last.ID, c.Tip, time.Now().UTC().Truncate(time.Second), key}
	}
	return "", err
}

// putBack lets a ref name what it named at the last pull; where that is gone, nothing.
func putBack(ctx context.Context, log *events.Log, ref string, was lastSeen, what string) (string, error) {
	objects := log.Repo().Objects()
	_, gone := objects.Commit(was.Commit)
	_ = objects.Close()
	if gone == nil {
		_, err := log.Repo().Git(ctx, nil, "update-ref", ref, was.Commit.String())
		return what + "; it stays here as it was then", err
	}
	_, err := log.Repo().Git(ctx, nil, "update-ref", "-d", ref)
	return what, err
}

func (s seen) keep(repo *refs.Repo, r Remote) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := refs.WriteFileAtomic(seenPath(repo, r), append(raw, '\n'), 0o600); err != nil {
		return fmt.Errorf("note what was seen: %w", err)
	}
	return nil
}
