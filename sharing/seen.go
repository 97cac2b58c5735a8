package sharing

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/checkpoint"
	"github.com/git-trace/git-trace/refs"
)

// `seen` holds the end of each log of a remote at the last pull, by the local ref. A log without that event was rewound
// or replaced.
type seen map[string]lastSeen

type lastSeen struct {
	Seq    int64     `json:"seq"`
	Event  events.ID `json:"event"`
	Commit refs.OID  `json:"commit"`
	Time   time.Time `json:"time"`             // time of the pull
	Signer string    `json:"signer,omitempty"` // signer of that commit, if git trusts the key
	Key    string    `json:"key,omitempty"`    // the key that signed the writer's publications
	Anew   int       `json:"anew,omitempty"`   // number of times that the digest was started again
}

func seenPath(repo *refs.Repo, r Remote) string {
	return filepath.Join(repo.TracesDir(), "seen", shortHash(r.Label)+".json")
}

// readSeen reads the notes, and drops unreadable ones.
func readSeen(repo *refs.Repo, r Remote) seen {
	out := seen{}
	if raw, err := refs.ReadFile(seenPath(repo, r)); err == nil {
		_ = json.Unmarshal(raw, &out) // a damaged note is made again
	}
	return out
}

// mostJudged limits, in one pull, the checks of signatures that are new or have untrusted keys: each check needs
// processes.
const mostJudged = 200

// check compares a log with its last known end. It returns the fault: an event is missing, or another key signed the
// log. Then it restores the former ref, unless the person accepts the new one. A digest that its writer replaced (times
// counts that) is accepted if the same key signed it. Without a fault it notes the log's end.
func (s seen) check(ctx context.Context, log *events.Log, c *events.FetchedCopy, times int, accepted bool,
	judged *int) (anew bool, wrong string, err error) {
	was, known := s[c.Name()]
	if was.Commit == c.Tip && (was.Signer != "" || was.Key == "" && c.Digest) { // git may trust the key now
		return false, "", nil
	}
	lost := false
	if known {
		at, found, err := c.Copy.Event(was.Seq)
		if err != nil {
			return false, "", err
		}
		lost = !found || at.ID != was.Event
	}
	key, signer, trusted := was.Key, "", false
	if !c.Digest {
		signer = s.vouched(log, c)
	} else {
		if *judged >= mostJudged && (!known || was.Commit == c.Tip) { // a later pull checks it
			return false, "", nil
		}
		by, err := checkpoint.OfCommit(ctx, log.Repo(), c.Tip)
		if err != nil {
			return false, "", err
		}
		if by.Kind != "" {
			*judged++
		}
		if key != "" && by.Key != key && !accepted {
			wrong = "it is signed by " + by.By() + ", and was by " + key
			if by.Key == "" {
				wrong = "it was signed by " + key + "; now " + by.Why()
			}
		}
		trusted = key != "" && by.Key == key && by.Verdict == checkpoint.Good
		if key = by.Key; by.Verdict == checkpoint.Good {
			signer = by.By()
		}
	}
	anew = lost && times > was.Anew
	if lost && !accepted && !(anew && trusted) {
		wrong = fmt.Sprintf("it is without event %d that it showed on %s", was.Seq, was.Time.Format("2 Jan 2006"))
		if anew {
			wrong += ", since its writer began it anew"
		}
	}
	if wrong != "" {
		wrong, err = putBack(ctx, log, c.Ref, was, wrong)
		return false, wrong + "; git trace pull --accept " + c.Writer + " takes what is there now", err
	}
	s[c.Name()] = lastSeen{
		Seq: c.Copy.Last(), Event: c.Copy.LastID(), Commit: c.Tip, Time: time.Now().UTC().Truncate(time.Second),
		Signer: signer, Key: key, Anew: times,
	}
	return anew, "", nil
}

// `vouched` returns the signer of a whole log. The log has no signature, but the digest published with it names an
// event of the log, and so all earlier events. So the digest's signature covers the log up to that event.
func (s seen) vouched(log *events.Log, c *events.FetchedCopy) string {
	digest := s[strings.TrimSuffix(c.Name(), "events")+"digest"]
	if digest.Signer == "" {
		return ""
	}
	p, err := log.ReadPublication(digest.Commit)
	if err != nil || !vouches(p.Head, c.Writer, c.Copy) || p.Head.Source.Seq != c.Copy.Last() {
		return "" // the signature does not cover later events
	}
	return digest.Signer
}

// `vouches` reports whether a digest was made from a log: then the log has the event that the digest names.
func vouches(digest events.PublicationHead, writer string, whole *events.Copy) bool {
	at, found, err := whole.Event(digest.Source.Seq)
	return err == nil && found && digest.Writer == writer && at.ID == digest.Source.Event
}

// putBack restores a ref to its commit at the last pull, or deletes it if that commit is missing.
func putBack(ctx context.Context, log *events.Log, ref string, was lastSeen, what string) (string, error) {
	objects := log.Repo().Objects()
	_, gone := objects.Commit(was.Commit)
	_ = objects.Close()
	if gone == nil {
		return what + "; it stays here as it was then", log.Repo().SetRef(ctx, ref, was.Commit)
	}
	_, err := log.Repo().Git(ctx, nil, "update-ref", "-d", ref)
	return what, err
}

func (s seen) keep(repo *refs.Repo, r Remote) error {
	if err := refs.WriteJSON(seenPath(repo, r), s, refs.WriteFileAtomic); err != nil {
		return fmt.Errorf("note what was seen: %w", err)
	}
	return nil
}
