package sharing

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

// Demanded is the result of a demand for texts that others share.
type Demanded struct {
	Got       int      // number of fetched records
	Elsewhere []string // remotes that keep other records, or did not send them
	Err       error    // the reason of a failure; nil if there was none
}

// offer is a record that a writer shares.
type offer struct {
	fetched events.FetchedLog
	entry   store.Entry
}

// demandPatience is the longest time that a command waits for a remote that the user did not name.
const demandPatience = 20 * time.Second

// OnDemand reports whether a reader may fetch missing texts from a remote, and whether the person has decided this.
func (s *Settings) OnDemand() (may, settled bool) {
	_, settled = s.own.Get("trace.fetchondemand")
	return s.own.Bool("trace.fetchOnDemand", false), settled
}

// SettleOnDemand writes the person's decision into the clone's configuration.
func SettleOnDemand(ctx context.Context, repo *refs.Repo, may bool) error {
	if _, err := repo.Git(ctx, nil, "config", "--local", "trace.fetchOnDemand", fmt.Sprint(may)); err != nil {
		return fmt.Errorf("keep the choice: %w", err)
	}
	return nil
}

// Demand fetches the missing records of conversations that other clones share, each by its id, if the person allowed
// it. It does not fetch withdrawn records.
func Demand(ctx context.Context, log *events.Log, traces []events.TraceID) (Demanded, error) {
	if !log.MayHaveFetched() {
		return Demanded{}, nil
	}
	missing, err := offers(ctx, log, traces)
	if err != nil || len(missing) == 0 {
		return Demanded{}, err
	}
	s, err := ReadSettings(ctx, log.Repo())
	if err != nil {
		return Demanded{}, err
	}
	if may, _ := s.OnDemand(); !may {
		return Demanded{Elsewhere: remotesOf(missing)}, nil
	}
	command, _ := s.always.Get("core.sshcommand")
	if err := refs.AskNobody(command); err != nil {
		return Demanded{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, demandPatience)
	defer cancel()
	var failed error
	for _, name := range remotesOf(missing) {
		if r, err := s.Source(name); err != nil { // a URL has no name
			failed = errors.Join(failed, err)
		} else if err := s.demandFrom(ctx, log, r, traces, missing); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	still, err := offers(context.WithoutCancel(ctx), log, traces)
	out := Demanded{Elsewhere: remotesOf(still), Err: failed}
	for _, o := range missing {
		if !slices.ContainsFunc(still, func(s offer) bool { return s.entry.Trace == o.entry.Trace }) {
			out.Got++
		}
	}
	return out, err
}

func remotesOf(list []offer) []string {
	var out []string
	for _, o := range list {
		out = append(out, o.fetched.Remote)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// `offers` finds one shared record for each conversation that has no record here.
func offers(ctx context.Context, log *events.Log, traces []events.TraceID) ([]offer, error) {
	s := store.Open(log.Repo())
	defer func() { _ = s.Close() }()
	var lacking []events.TraceID
	for _, trace := range traces {
		_, err := s.Find(ctx, trace)
		switch {
		case errors.Is(err, store.ErrNotFound):
			lacking = append(lacking, trace)
		case err != nil:
			return nil, err
		}
	}
	if len(lacking) == 0 {
		return nil, nil
	}
	own, err := log.Writer()
	if err != nil {
		return nil, err
	}
	fetched, err := log.Fetched(ctx)
	if err != nil {
		return nil, err
	}
	found := map[events.TraceID]offer{}
	for _, f := range fetched {
		if !f.Digest || f.Writer == "" || f.Writer == own {
			continue
		}
		p, err := log.ReadPublication(f.Tip)
		if err != nil || p.Head.Writer != f.Writer {
			continue // its reader reports it
		}
		for _, trace := range lacking {
			blob, shared := p.Records[trace]
			if _, known := found[trace]; shared && !known {
				found[trace] = offer{f, store.Entry{Trace: trace, Blob: blob, Ref: demandedRef(f)}}
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b offer) int {
		return strings.Compare(string(a.entry.Trace), string(b.entry.Trace))
	}), nil
}

// demandedRef returns the ref of records that were fetched singly.
func demandedRef(f events.FetchedLog) string {
	return events.FetchedRef(f.Remote, f.Writer, "demanded")
}

// demandFrom fetches missing records from one remote. First it asks which records are shared now.
func (s *Settings) demandFrom(ctx context.Context, log *events.Log, r Remote, traces []events.TraceID,
	missing []offer) error {
	patterns := []string{r.Prefix + "*/archive/*"}
	for _, o := range missing {
		if o.fetched.Remote == r.Label {
			patterns = append(patterns, r.Prefix+o.fetched.Writer+"/digest", r.Prefix+o.fetched.Writer+"/records")
		}
	}
	found, err := there(ctx, log.Repo(), r.Name, patterns...)
	if err != nil {
		return err
	}
	archives, err := archivesMoved(log, r, found)
	if err != nil {
		return err
	}
	var moved []string
	for _, o := range missing {
		w := o.fetched.Writer
		changed := found[r.Prefix+w+"/digest"] != o.fetched.Tip
		if o.fetched.Stored {
			changed = archives
		}
		if o.fetched.Remote == r.Label && changed && !slices.Contains(moved, w) {
			moved = append(moved, w)
		}
	}
	if len(moved) > 0 {
		if _, err := Pull(ctx, log, r, What{Writers: moved}); err != nil {
			return err
		}
		if missing, err = offers(ctx, log, traces); err != nil {
			return err
		}
	}
	wanted := map[string][]store.Entry{}
	var writers, blobs []string
	for _, o := range missing {
		w := o.fetched.Writer
		shares := !found[r.Prefix+w+"/records"].IsZero() || o.fetched.Stored
		if o.fetched.Remote == r.Label && shares {
			wanted[o.entry.Ref] = append(wanted[o.entry.Ref], o.entry)
			writers, blobs = append(writers, w), append(blobs, o.entry.Blob.String())
		}
	}
	if len(blobs) == 0 {
		return nil
	}
	most, err := s.MostFetched()
	if err != nil {
		return err
	}
	err = arriving(ctx, log.Repo(), orMost(most), "", append(fetching("--", r.Name), blobs...)...)
	var refused *RemoteError
	switch {
	case errors.As(err, &refused) && ctx.Err() == nil: // the remote sends no object by its id
		_, err = Pull(ctx, log, r, What{Writers: writers, Records: true, Most: most})
		return err
	case err != nil:
		return err
	}
	return keepDemanded(ctx, log, wanted)
}

// archivesMoved reports whether a remote has changed its archives of digests.
func archivesMoved(log *events.Log, r Remote, found map[string]refs.OID) (bool, error) {
	own, err := log.Writer()
	if err != nil {
		return false, err
	}
	for name, id := range found {
		writer, kind, _ := strings.Cut(strings.TrimPrefix(name, r.Prefix), "/")
		if kind != "archive/digest" || writer == own {
			continue
		}
		if here, err := log.Tip(events.FetchedRef(r.Label, writer, kind)); err != nil || here != id {
			return true, err
		}
	}
	return false, nil
}

// keepDemanded adds fetched records to the earlier ones.
func keepDemanded(ctx context.Context, log *events.Log, wanted map[string][]store.Entry) error {
	s := store.Open(log.Repo())
	defer func() { _ = s.Close() }()
	for ref, more := range wanted {
		had, err := s.On(ref)
		if err != nil {
			return err
		}
		if err := s.Keep(ctx, ref, append(had, more...)); err != nil {
			return err
		}
	}
	return nil
}
