package purge

import (
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
)

// A purge does not change the log, which has names, paths and ids, or the names in snapshots. It reports a purged text
// there.
const (
	inNames  = "it stands in a name, a path or an id, which are kept as they are"
	dropsAll = "git trace uninstall --purge deletes all that git-trace stores"
	ownLog   = "the log of events"
)

// `logged` reports the objects outside of records that contain the texts: in this clone's log, in others' publications,
// and unreachable objects.
func (p *Purge) logged(loose []refs.Listed, gone map[refs.OID]bool) error {
	if !p.Target.Texts.HasTexts() {
		return nil
	}
	var rest []refs.Listed
	for _, o := range loose {
		if !gone[o.OID] {
			rest = append(rest, o)
		}
	}
	held := map[refs.OID]bool{}
	if err := p.heldBy(rest, held); err != nil || len(held) == 0 {
		return err
	}
	const fetched = "refs/traces/remotes/*"
	for _, one := range []struct {
		what, mend string
		revisions  []string
	}{
		{ownLog, dropsAll, []string{"--exclude=" + fetched, "--glob=refs/traces/*"}},
		{"what others have published", "have them purge it, then git trace pull",
			[]string{"--glob=" + fetched}},
	} {
		reached, err := p.Repo.ReachedBy(p.ctx, one.revisions...)
		if err != nil {
			return err
		}
		found := false
		for oid := range held {
			if _, is := reached[oid]; is {
				delete(held, oid)
				found = true
			}
		}
		if found {
			p.leave(one.what, inNames, one.mend)
		}
	}
	if len(held) > 0 {
		p.leave(numbers.Count(len(held), "git object"), "no ref leads there, and git has not deleted them yet",
			"git gc --prune=now")
	}
	return nil
}

// `named` reports file names in snapshots that contain the texts.
func (p *Purge) named(all []refs.Listed) error {
	var trees []refs.Listed
	for _, o := range all {
		if o.Type != refs.BlobObject {
			trees = append(trees, o)
		}
	}
	held := map[refs.OID]bool{}
	err := p.heldBy(trees, held)
	if len(held) > 0 {
		p.leave(numbers.Count(len(held), "tree")+" of snapshots", inNames, dropsAll)
	}
	return err
}
