package sharing

import (
	"context"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/checkpoint"
)

// FetchedState is what is found of a log that was fetched.
type FetchedState struct {
	Ref    string             `json:"ref"`
	Remote string             `json:"remote"`
	Writer string             `json:"writer"`
	Digest bool               `json:"digest"`
	Own    bool               `json:"own"`    // what a remote has of this clone; it is not read
	Events int64              `json:"events"` // 0 for one that is left out
	Why    string             `json:"why,omitempty"`
	Signed checkpoint.Verdict `json:"signed"`
	Signer string             `json:"signer,omitempty"` // of a good signature alone
	// Made is the event of the full log up to which a digest was made, Seen the other writers' ends that it names.
	Made events.Witness   `json:"made,omitzero"`
	Seen []events.Witness `json:"seen,omitempty"`
}

// Verify checks each log that was fetched from its objects on, not from a copy.
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
				err = s.publication(ctx, log, c.FetchedLog)
			}
			c.Copy.Close()
		}
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// publication adds what only a publication has: a signature, and what it says of other logs.
func (s *FetchedState) publication(ctx context.Context, log *events.Log, f events.FetchedLog) error {
	p, err := log.ReadPublication(f.Tip)
	if err != nil {
		return err
	}
	s.Made, s.Seen = p.Head.Source, p.Head.Seen
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
