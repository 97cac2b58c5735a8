package sharing

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
)

// tracesRefs is the prefix of all refs of traces here, remotesRefs the prefix of fetched ones.
const (
	tracesRefs  = "refs/traces/"
	remotesRefs = tracesRefs + "remotes/"
)

// MostOthers is the number of other clones' refs on a remote above which git-trace warns.
const MostOthers = 1000

// Notes returns notes about remotes that transfer traces without a choice, such as mirrors, and about remotes with very
// many refs of traces.
func Notes(ctx context.Context, log *events.Log, now time.Time) ([]string, error) {
	s, err := ReadSettings(ctx, log.Repo())
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range s.names {
		if s.mirrors(name) {
			out = append(out, mirrorNote(name))
		}
		if s.overwrites(name) {
			out = append(out, "a plain git fetch of "+name+" writes over refs/traces, and deletes what it has not with "+
				"--prune: a narrower refspec in remote."+name+".fetch keeps the log's ref")
		}
	}
	if !log.MayHaveFetched() {
		return out, nil
	}
	many, err := crowds(ctx, log, now)
	return append(out, many...), err
}

// mirrorNote describes a plain push to a mirror, and refspecs that leave out traces. A host may accept only branches
// and tags: then it refuses the whole push.
func mirrorNote(name string) string {
	return name + " is a mirror: a plain git push sends it all that is recorded here, and what was fetched from others, " +
		"whatever was chosen; a host that takes branches and tags alone refuses all of it. To push those alone: " +
		"git config --unset remote." + name + ".mirror; git config remote." + name + ".push '+refs/heads/*:refs/heads/*'; " +
		"git config --add remote." + name + ".push '+refs/tags/*:refs/tags/*'"
}

// MirrorNotes returns notes about remotes that get traces without a choice.
func MirrorNotes(ctx context.Context, repo *refs.Repo) ([]string, error) {
	s, err := ReadSettings(ctx, repo)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range s.names {
		if s.mirrors(name) {
			out = append(out, mirrorNote(name))
		}
	}
	return out, nil
}

// `mirrors` reports whether a plain `git push` to a remote sends refs of traces.
func (s *Settings) mirrors(name string) bool {
	if s.always.Bool("remote."+name+".mirror", false) {
		return !slices.ContainsFunc(s.always.All("remote."+name+".fetch"), func(spec string) bool { // it fetches
			return strings.HasSuffix(spec, ":refs/*")
		})
	}
	return slices.ContainsFunc(s.always.All("remote."+name+".push"), func(spec string) bool {
		from, _, _ := strings.Cut(strings.TrimPrefix(spec, "+"), ":")
		return reaches(from)
	})
}

// `overwrites` reports whether a plain `git fetch` of a remote writes refs of traces, except the refs for fetched
// traces.
func (s *Settings) overwrites(name string) bool {
	return slices.ContainsFunc(s.always.All("remote."+name+".fetch"), func(spec string) bool {
		_, to, _ := strings.Cut(spec, ":")
		return reaches(to) && !strings.HasPrefix(to, events.FetchedRef(name, "", ""))
	})
}

// `reaches` reports whether one side of a refspec matches refs of traces.
func reaches(side string) bool {
	before, _, pattern := strings.Cut(side, "*")
	return strings.HasPrefix(side, tracesRefs) || pattern && strings.HasPrefix(tracesRefs, before)
}

// silentFor is the time without a publication after which a clone may be gone.
const silentFor = 30 * 24 * time.Hour

// crowds returns notes about remotes with very many refs of traces, with the number of clones that may be gone.
func crowds(ctx context.Context, log *events.Log, now time.Time) ([]string, error) {
	out, err := log.Repo().Git(ctx, nil, "for-each-ref", "--format=%(refname) %(authordate:unix)", remotesRefs)
	if err != nil {
		return nil, fmt.Errorf("list what was fetched: %w", err)
	}
	type crowd struct{ refs, silent int }
	of := map[string]crowd{}
	var names []string
	for line := range strings.Lines(string(out)) {
		name, date, _ := strings.Cut(strings.TrimSpace(line), " ")
		parts := strings.Split(strings.TrimPrefix(name, remotesRefs), "/")
		if n := len(parts); n < 3 || parts[0] == "@archive" || !events.IsWriter(parts[n-2]) {
			continue
		}
		label := strings.Join(parts[:len(parts)-2], "/")
		c := of[label]
		if c.refs++; c.refs == 1 {
			names = append(names, label)
		}
		made, err := strconv.ParseInt(date, 10, 64)
		if err == nil && parts[len(parts)-1] == "digest" && now.Sub(time.Unix(made, 0)) > silentFor {
			c.silent++
		}
		of[label] = c
	}
	var notes []string
	for _, label := range names {
		if c := of[label]; c.refs > MostOthers {
			notes = append(notes, fmt.Sprintf("%s has %s of traces, which every git push there is shown; %s published nothing "+
				"for 30 days: git trace archive %s", label, numbers.Count(c.refs, "ref"), numbers.Count(c.silent, "clone"),
				label))
		}
	}
	return notes, nil
}
