package facts

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/blame/trail"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// link finds the commits of a conversation: commits with its lines, commits that its calls report, and commits of its
// files from its time.
func (g *gathering) link(out *recorder.Facts) error {
	tiers := tiersOf(g.held)
	for _, id := range g.tookOut() {
		tiers[id] = records.TierToolEmitted
	}
	strong := make([]string, 0, len(tiers))
	for id := range tiers {
		strong = append(strong, id)
	}
	for _, id := range g.overlapping() {
		if tiers[id] == "" {
			tiers[id] = records.TierOverlapping
		}
	}
	for _, said := range committedBy(g.head) {
		id := g.whole(said)
		known := slices.ContainsFunc(slices.Sorted(maps.Keys(tiers)),
			func(have string) bool { return strings.HasPrefix(have, said) })
		if tiers[id] != "" || known {
			continue
		}
		replaced, err := g.lines.Replaced(said)
		if err != nil {
			return err
		}
		if !replaced {
			tiers[id] = records.TierOrphan
		}
	}
	reached, err := g.reached(slices.Sorted(maps.Keys(tiers)))
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(tiers)) {
		link := records.GitLink{VCSType: records.VCSGit, Revision: id, Tier: tiers[id], CommitReachable: reached[id]}
		if oid, err := refs.ParseOID(id); err == nil {
			link.Branch = g.places.of(g.ctx, oid)
		}
		link.RepoURL = g.places.Remote(g.ctx, link.Branch)
		out.Links = append(out.Links, link)
	}
	out.Revision = g.newest(strong, reached)
	return nil
}

// tiersOf gives each commit its tier. A commit with lines exactly as the tools wrote them is better evidence than a
// commit in which the lines were found after a change.
func tiersOf(held []view.Anchored) map[string]records.Tier {
	tiers := map[string]records.Tier{}
	for _, a := range held {
		tier := records.TierToolEmitted
		switch a.Tier {
		case "reformatted", "line_fingerprint":
			tier = records.TierToolDivergence
		}
		id := a.Commit.String()
		if now, known := tiers[id]; !known || now == records.TierToolDivergence {
			tiers[id] = tier
		}
	}
	return tiers
}

// mostOverlaps limits the number of commits that only files and times connect with the conversation.
const mostOverlaps = 100

// overlapping lists the commits from the time of the conversation that changed a file that it wrote.
func (g *gathering) overlapping() []string {
	var found []string // the earlier commits, if the files were the ones in the session file
	if g.prior != nil {
		for _, link := range g.prior.GitLinks {
			if link.Tier == records.TierOverlapping {
				found = append(found, link.Revision)
			}
		}
	}
	if g.head.TimestampStart == nil || g.head.TimestampEnd == nil || g.head.Attribution == nil {
		return found
	}
	from, errFrom := time.Parse(time.RFC3339Nano, *g.head.TimestampStart)
	to, errTo := time.Parse(time.RFC3339Nano, *g.head.TimestampEnd)
	if errFrom != nil || errTo != nil || len(g.head.Attribution.Files) == 0 {
		return found
	}
	var paths []string
	for _, file := range g.head.Attribution.Files[:min(len(g.head.Attribution.Files), mostRecordFiles)] {
		paths = append(paths, file.Path)
	}
	return append(found, g.between(from, to, paths)...)
}

// `between` lists the newest commits that were made in a span of time and changed one of some paths, the newest first.
func (g *gathering) between(from, to time.Time, paths []string) (found []string) {
	if g.history != nil {
		if list, known := g.history.Between(from, to, paths, mostOverlaps); known {
			for _, id := range list {
				found = append(found, id.String())
			}
			return found
		}
	}
	args := slices.Concat([]string{"--literal-pathspecs", "rev-list", "--no-merges", "--full-history",
		"--max-count=" + strconv.Itoa(mostOverlaps), "--since=" + strconv.FormatInt(from.Unix(), 10),
		"--until=" + strconv.FormatInt(to.Unix(), 10)}, refs.Everywhere(), []string{"--"}, paths)
	out, err := g.repo.Git(g.ctx, nil, args...)
	if err != nil {
		return nil // a path leads out of the repository, or objects are missing
	}
	return strings.Fields(string(out))
}

// tookOut lists the commits that removed others' lines which calls of the conversation had removed: for each such
// change the first commit since the conversation began. These commits may not have a line of the conversation.
func (g *gathering) tookOut() []string {
	if len(g.removals) == 0 || g.head.TimestampStart == nil {
		return nil
	}
	from, err := time.Parse(time.RFC3339Nano, *g.head.TimestampStart)
	if err != nil {
		return nil
	}
	var paths []string
	for _, r := range g.removals {
		paths = append(paths, r.path)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	list := g.between(from, time.Now(), paths[:min(len(paths), mostRecordFiles)])
	if g.prior != nil {
		for _, link := range g.prior.GitLinks { // many newer commits may have changed the files since
			list = append(list, link.Revision)
		}
	}
	var out []string
	for _, r := range g.removals {
		for _, id := range slices.Backward(list) {
			if g.takes(id, r) {
				out = append(out, id)
				break
			}
		}
	}
	return out
}

// `takes` reports whether a commit removed the content of a removal.
func (g *gathering) takes(commit string, r removal) bool {
	was, _, err := g.objects.Resolve(commit + "^:" + r.path)
	if err != nil {
		return false
	}
	if is, _, err := g.objects.Resolve(commit + ":" + r.path); err == nil && is == was {
		return false
	}
	older, there := g.blobLines(was)
	newer, _ := g.contentOf(commit + ":" + r.path)
	if !there {
		return false
	}
	_, before := r.gone(older)
	_, after := r.gone(newer)
	return after && !before
}

// committedBy lists the commits that calls of the conversation report to have made.
func committedBy(head *records.Record) []string {
	var list []struct{ SHA string }
	if json.Unmarshal(head.Metadata["commits"], &list) != nil {
		return nil
	}
	var out []string
	for _, one := range list {
		if one.SHA = strings.ToLower(one.SHA); len(one.SHA) >= 7 && strings.Trim(one.SHA, "0123456789abcdef") == "" {
			out = append(out, one.SHA)
		}
	}
	return out
}

// `whole` returns the full id of an abbreviated commit, if it is here.
func (g *gathering) whole(said string) string {
	if id, kind, err := g.objects.Resolve(said + "^{commit}"); err == nil && kind == refs.CommitObject {
		return id.String()
	}
	return said
}

// `reached` reports for each commit whether a ref leads to it; nil if a shallow history ends before the commit.
func (g *gathering) reached(ids []string) (map[string]*bool, error) {
	var asked []refs.OID
	for _, id := range ids {
		if oid, err := refs.ParseOID(id); err == nil {
			asked = append(asked, oid)
		}
	}
	known, err := g.known.Reached(g.ctx, asked)
	if err != nil {
		return nil, err
	}
	_, shallow := os.Stat(filepath.Join(g.repo.CommonDir, "shallow"))
	out := map[string]*bool{}
	for _, id := range ids {
		oid, err := refs.ParseOID(id)
		yes, here := known[oid]
		if err == nil && here || shallow != nil {
			out[id] = new(yes)
		}
	}
	return out, nil
}

// `newest` returns the newest of some commits; if a ref leads to some of them, it considers only these. It is ""
// without commits.
func (g *gathering) newest(ids []string, reached map[string]*bool) string {
	slices.Sort(ids)
	kept := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return reached[id] == nil || !*reached[id] })
	if len(kept) == 0 {
		kept = ids
	}
	if len(kept) == 0 {
		return ""
	}
	best, made := kept[0], time.Time{}
	for _, id := range kept {
		oid, err := refs.ParseOID(id)
		if err != nil {
			continue
		}
		if c, err := g.objects.Commit(oid); err == nil && c.Committer.When.After(made) { // otherwise it is missing here
			best, made = id, c.Committer.When
		}
	}
	return best
}

// outlive sets for each commit whether lines of the conversation in it are alive; nil if git cannot answer.
func outlive(links []records.GitLink, list []*trail.Trail) {
	for i := range links {
		l := &links[i]
		alive, unsure, holds := false, false, false
		for _, tr := range list {
			if !slices.ContainsFunc(tr.Steps, func(s trail.Step) bool { return s.Commit.String() == l.Revision }) {
				continue
			}
			holds = true
			unsure = unsure || tr.Now.State == trail.Unsettled
			alive = alive || slices.ContainsFunc(tr.Now.Places,
				func(p trail.Place) bool { return p.Commit.String() == l.Revision || p.Moved })
		}
		if holds && (alive || !unsure) {
			l.ContentAlive = new(alive)
		}
	}
}
