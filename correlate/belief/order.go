package belief

import (
	"cmp"
	"slices"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
)

// origin is how somebody came to know what they say, the best first.
type origin int

const (
	seen          origin = iota // hooks were there
	reconstructed               // found afterwards, in session files or in the commits
	imported                    // a file of another program says so
)

func originOf(e *events.Event) origin {
	switch {
	case e == nil:
		return reconstructed
	case slices.Contains(e.Method, events.Import):
		return imported
	case slices.Contains(e.Method, events.Backfill), slices.Contains(e.Method, events.Manual):
		return reconstructed
	}
	return seen
}

// beats tells whether a run takes a line that another one has.
type beats func(over, under *Run) bool

// later is the order within a log: over was said after under.
func later(over, under *Run) bool {
	if over.Knows() != under.Knows() {
		return over.Knows()
	}
	return originOf(over.By) <= originOf(under.By) || disputes(over, under)
}

// disputes tells whether a conversation that no hook was told of takes a line that is thought to be a person's. Whoever
// wrote the anchor made sure that no hook was (package claim).
func disputes(over, under *Run) bool {
	return correlate.Disputes(over.Tier) && over.Owner.Kind == events.OwnerAI && under.Owner.Kind == events.OwnerHuman &&
		originOf(over.By) == reconstructed
}

// fills is the order for what was found of a commit that hooks saw: it takes what nobody knows. A claim about a commit
// whose place this one took, which has no patch, disputes a person's line as it did there.
func fills(over, under *Run) bool {
	return over.Knows() && (!under.Knows() || over.Owner.Patch == "" && disputes(over, under))
}

// outweighs is the order for what was found of a commit of which there are only claims. Where both name a conversation
// the one that is found has the patch.
func outweighs(over, under *Run) bool {
	switch {
	case !over.Knows() || !under.Knows():
		return over.Knows()
	case disputes(under, over):
		return false
	case over.Owner.Trace != "" && over.Owner.Trace == under.Owner.Trace:
		return true
	}
	return cmp.Or(cmp.Compare(originOf(over.By), originOf(under.By)), cmp.Compare(rank(over.Tier), rank(under.Tier))) <= 0
}

// before is the order between logs.
func before(a, b *Run, own string) bool {
	return cmp.Or(
		first(a.Knows(), b.Knows()),
		first(a.By.Writer == own, b.By.Writer == own),
		cmp.Compare(originOf(a.By), originOf(b.By)),
		cmp.Compare(rank(a.Tier), rank(b.Tier)),
		cmp.Compare(a.By.Writer, b.By.Writer),
	) < 0
}

// first puts what is so before what is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// rank is the place of a tier; one that is not known comes last.
func rank(tier string) int {
	if at := slices.Index(correlate.Tiers(), tier); at >= 0 {
		return at
	}
	return len(correlate.Tiers())
}
