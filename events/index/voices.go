package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/events"
)

// `own` reports whether this clone wrote the log, under its present id or an old one.
func (s *source) own() bool { return s.voice == nil || s.voice.Aside }

// takeOf chooses, for each writer, which of the copies are read.
func (ix *Index) takeOf(ctx context.Context, copies []events.FetchedCopy) error {
	ix.sources = slices.Grow(ix.sources, len(copies))
	sources, voices := make([]source, len(copies)), make([]events.Voice, len(copies))
	single := true // as a rule: the logs of one remote, in the order of their writers, one of each
	for i := range copies {
		single = single && (i == 0 || copies[i-1].Writer < copies[i].Writer)
	}
	logs := map[string]int{}
	for i := range copies {
		if !single {
			logs[copies[i].Writer]++
		}
	}
	for i := range copies {
		switch writer := copies[i].Writer; {
		case single || logs[writer] == 1:
			voices[i] = voiceOf(copies[i].FetchedLog)
			sources[i].copy, sources[i].voice = copies[i].Copy, &voices[i]
			ix.sources = append(ix.sources, &sources[i])
		case logs[writer] > 1:
			logs[writer] = 0 // chosen
			others := func(o events.FetchedCopy) bool { return o.Writer != writer }
			if err := ix.choose(ctx, slices.DeleteFunc(slices.Clone(copies[i:]), others)); err != nil {
				return err
			}
		}
	}
	ix.notes = append(ix.notes, few(ix.posed)...)
	return nil
}

// voiceOf returns the voice of a log if no other remote has its id.
func voiceOf(f *events.FetchedLog) events.Voice {
	if f.Aside {
		return events.Voice{Name: "aside/" + f.Writer, Aside: true}
	}
	return events.Voice{Name: f.Remote + "/" + f.Writer, Remote: f.Remote, Standing: events.Unproved}
}

// spoken is the content of one voice: a log, digests, or both.
type spoken struct {
	voice *events.Voice
	of    []events.FetchedCopy
}

// choose chooses which copies of one writer id are read. This clone's own events under an old id are read beside the
// events of others under it.
func (ix *Index) choose(ctx context.Context, of []events.FetchedCopy) error {
	all, err := ix.speakers(ctx, of)
	if err != nil {
		return err
	}
	named := slices.IndexFunc(all, func(s *spoken) bool { return ix.hasName(s.voice) })
	ix.several = ix.several || len(all) > 1
	for i, s := range all {
		switch {
		case named >= 0 && !ix.hasName(s.voice) && !s.voice.Aside:
			if !s.repeats(all[named : named+1]) {
				ix.posed = append(ix.posed, fmt.Sprintf("left out: what %s says as %s, who publishes on %s",
					s.voice.Remote, of[0].Writer, all[named].voice.Remote))
			}
			closeAll(s.of, nil)
		case s.repeats(all[:i]):
			closeAll(s.of, nil)
		default:
			ix.take(s)
		}
	}
	return nil
}

// hasName reports whether a voice comes from a configured remote. Events that were fetched by URL, from a fork for
// instance, do not count under the id of a writer who publishes on a configured remote.
func (ix *Index) hasName(v *events.Voice) bool {
	return !v.Aside && slices.Contains(ix.remotes, v.Remote)
}

// speakers sorts the logs of one id by voices, the most trusted first. A remote is one voice; remotes with one common
// signature are one.
func (ix *Index) speakers(ctx context.Context, of []events.FetchedCopy) (all []*spoken, err error) {
	remotes := map[string][]events.FetchedLog{}
	for _, c := range of {
		remotes[c.Remote] = append(remotes[c.Remote], *c.FetchedLog)
	}
	if len(remotes) > 1 {
		if err := ix.readRemotes(ctx); err != nil {
			return nil, err
		}
	}
	by := ix.signedBy()
	for _, c := range of {
		v := voiceOf(c.FetchedLog)
		if len(remotes) > 1 && !c.Aside && by[c.Ref] != "" &&
			!slices.ContainsFunc(remotes[c.Remote], func(f events.FetchedLog) bool { return by[f.Ref] != by[c.Ref] }) {
			v.Standing, v.Name = events.Signed, "signed by "+by[c.Ref]+"/"+c.Writer
		} else if c.Remote == ix.trust {
			v.Standing = events.Trusted
		}
		at := slices.IndexFunc(all, func(s *spoken) bool { return s.voice.Name == v.Name })
		if at < 0 {
			at, all = len(all), append(all, &spoken{voice: &v})
		}
		all[at].of = append(all[at].of, c)
	}
	slices.SortStableFunc(all, func(a, b *spoken) int {
		return cmp.Or(cmp.Compare(a.voice.Standing, b.voice.Standing), cmp.Compare(later(a.voice), later(b.voice)))
	})
	return all, nil
}

// `later` returns the order of remotes: origin, git's own first remote, comes before the others. It only decides which
// of two equal voices is shown.
func later(v *events.Voice) int {
	if v.Remote == "origin" {
		return 0
	}
	return 1
}

// `repeats` reports whether all copies of a voice are among the earlier ones.
func (s *spoken) repeats(before []*spoken) bool {
	return !slices.ContainsFunc(s.of, func(c events.FetchedCopy) bool {
		return !slices.ContainsFunc(before, func(b *spoken) bool {
			return slices.ContainsFunc(b.of, func(o events.FetchedCopy) bool { return o.Tip == c.Tip })
		})
	})
}

// take reads one voice: a log if there is one, otherwise the digests. Logs from several remotes must begin alike, and
// the longest is read; if they differ, none is read. Each digest has the events of its own remote, so all are read.
func (ix *Index) take(s *spoken) {
	logs := slices.DeleteFunc(slices.Clone(s.of), func(c events.FetchedCopy) bool { return c.Digest })
	if len(logs) == 0 {
		for i, c := range s.of {
			if slices.ContainsFunc(s.of[:i], func(o events.FetchedCopy) bool { return o.Tip == c.Tip }) {
				c.Copy.Close()
				continue
			}
			ix.sources = append(ix.sources, &source{copy: c.Copy, voice: s.voice})
		}
		return
	}
	longest := slices.MaxFunc(logs, func(a, b events.FetchedCopy) int { return cmp.Compare(a.Copy.Last(), b.Copy.Last()) })
	for _, c := range logs {
		if same, err := longest.Copy.Continues(c.Copy); err != nil || !same {
			ix.notes = append(ix.notes, fmt.Sprintf("left out: %s shows two histories (%s, %s)", c.Writer, longest.Remote,
				c.Remote))
			closeAll(s.of, nil)
			return
		}
	}
	closeAll(s.of, longest.Copy)
	ix.sources = append(ix.sources, &source{copy: longest.Copy, voice: s.voice})
}

func closeAll(of []events.FetchedCopy, but *events.Copy) {
	for _, c := range of {
		if c.Copy != but {
			c.Copy.Close()
		}
	}
}
