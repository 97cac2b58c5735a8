package sharing

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/checkpoint"
)

// FetchedState is the result of checking a fetched log.
type FetchedState struct {
	Ref    string             `json:"ref"`
	Remote string             `json:"remote"`
	Writer string             `json:"writer"`
	Digest bool               `json:"digest"`
	Own    bool               `json:"own"`    // this clone's own refs on a remote, which are not read
	Events int64              `json:"events"` // 0 if the log is left out
	Why    string             `json:"why,omitempty"`
	Signed checkpoint.Verdict `json:"signed"`
	Signer string             `json:"signer,omitempty"` // only for a good signature
	// Made is the last event of the full log that a digest covers; Seen has the ends of other writers' logs that the
	// digest names. For a whole log, Made is the last event that the digest published with it covers, and with it the
	// signature.
	Made events.Witness   `json:"made,omitzero"`
	Seen []events.Witness `json:"seen,omitempty"`
	// Published is the time of a digest, by its writer's clock. Witnessed is the last event that other writers' digests
	// name; 0 if none does.
	Published time.Time `json:"published,omitzero"`
	Witnessed int64     `json:"witnessed,omitempty"`
}

// Verify checks each fetched log from its objects, not from a copy.
func Verify(ctx context.Context, log *events.Log) ([]FetchedState, error) {
	if err := log.ForgetFetched(); err != nil {
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
	copies, err := log.Copies(ctx, fetched)
	if err != nil {
		return nil, err
	}
	var out []FetchedState
	for _, c := range copies {
		s := FetchedState{
			Ref: c.Ref, Remote: c.Remote, Writer: c.Writer, Digest: c.Digest, Own: own != "" && c.Writer == own,
			Signed: checkpoint.Unsigned,
		}
		switch {
		case c.Writer == "":
			s.Why = "it names no writer"
		case c.Err != nil:
			s.Why = c.Err.Error()
		default:
			s.Events = c.Copy.Last()
			if s.Digest {
				err = s.publication(ctx, log, *c.FetchedLog)
			} else {
				s.vouched(log, &c, out)
			}
			c.Copy.Close()
		}
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	for i := range out {
		out[i].witness(out)
	}
	return out, nil
}

// witness notes the last event of this digest that other digests on the remote name.
func (s *FetchedState) witness(all []FetchedState) {
	if !s.Digest || s.Why != "" {
		return
	}
	for _, by := range all {
		for _, w := range by.Seen {
			if w.Writer == s.Writer && by.Writer != s.Writer && by.Remote == s.Remote {
				s.Witnessed = max(s.Witnessed, min(w.Seq, s.Events))
			}
		}
	}
}

// `vouched` adds to a whole log the signature of the digest published with it. The parameter `looked` has the checked
// digests.
func (s *FetchedState) vouched(log *events.Log, c *events.FetchedCopy, looked []FetchedState) {
	for _, d := range looked {
		if d.Digest && d.Ref == strings.TrimSuffix(s.Ref, "events")+"digest" && d.Why == "" {
			if vouches(events.PublicationHead{Writer: d.Writer, Source: d.Made}, s.Writer, c.Copy) {
				s.Made, s.Signed, s.Signer = d.Made, d.Signed, d.Signer
			}
		}
	}
}

// publication adds the facts that only a publication has: a signature, and the ends of other logs.
func (s *FetchedState) publication(ctx context.Context, log *events.Log, f events.FetchedLog) error {
	p, err := log.ReadPublication(f.Tip)
	if err != nil {
		return err
	}
	s.Made, s.Seen = p.Head.Source, p.Head.Seen
	objects := log.Repo().Objects()
	commit, err := objects.Commit(f.Tip)
	if err = errors.Join(err, objects.Close()); err != nil {
		return err
	}
	s.Published = commit.Author.When.UTC()
	signature, err := checkpoint.OfCommit(ctx, log.Repo(), f.Tip)
	if err != nil {
		return err
	}
	s.Signed = signature.Verdict
	if signature.Verdict == checkpoint.Good {
		s.Signer = signature.By()
	}
	return nil
}
