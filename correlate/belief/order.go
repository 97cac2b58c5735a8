package belief

import (
	"cmp"
	"slices"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
)

// origin is the kind of source of a claim, the best one first.
type origin int

const (
	seen          origin = iota // hooks saw the change
	reconstructed               // found afterwards in session files or commits
	imported                    // read from a file of another program
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

// beats reports whether the run over takes a line from the run under.
type beats func(over, under *Run) bool

// taking returns the run that counts where the two runs overlap.
type taking func(over, under *Run) Run

func (b beats) take(over, under *Run) Run {
	if b(over, under) {
		return *over
	}
	return *under
}

// `later` reports whether the run over takes a line from the run `under`, which comes before it in the same log.
func later(over, under *Run) bool {
	switch {
	case over.Knows() != under.Knows():
		return over.Knows()
	case disputes(under, over): // the same claim again, in an anchor that revises other lines
		return false
	}
	return originOf(over.By) <= originOf(under.By) || disputes(over, under)
}

// `disputes` reports whether a conversation that no hook reported takes a line that counts as a person's. The writer of
// the anchor has checked that no hook reported the conversation (package claim). For example: an agent without hooks
// wrote a line that a person committed, and backfill finds its conversation.
func disputes(over, under *Run) bool {
	return correlate.Disputes(over.Tier) && over.Owner.Kind == events.OwnerAI && under.Owner.Kind == events.OwnerHuman &&
		originOf(over.By) == reconstructed
}

// fills reports whether a finding (`over`) takes a line from the run `under`, in a commit that hooks saw: it takes an
// unknown line. A claim about the commit that this one replaced can also dispute a person's line; such a claim names no
// patch. For example: backfill found an agent's conversation for a commit, and later that commit is rebased.
func fills(over, under *Run) bool {
	return over.Knows() && (!under.Knows() || over.Owner.Patch == "" && disputes(over, under))
}

// `outweighs` reports whether a finding (`over`) takes a line from the run `under`, in a commit that has only claims.
// If both name one conversation, the finding counts, because it has the patch. For example: a note says which
// conversation wrote a line, and the search finds the line in a patch of that conversation.
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

// Signers knows who signed the published logs. It names only trusted signatures. A Log can also be a Signers.
type Signers interface {
	// Signer returns the name of the signer of a voice, or "" if there is none.
	Signer(voice string) string
}

func signersOf(log Log) func(voice string) string {
	if s, ok := log.(Signers); ok {
		return s.Signer
	}
	return func(string) string { return "" }
}

// `right` compares runs of two logs by the right to name the owner of a line, without comparing the ids of the writers.
// It is negative if a has the better right. For example: two other clones name an owner of a line. One saw an agent
// write it, the other imported it as a person's. The first one counts.
func right(a, b *Run, own string, signer func(string) string) int {
	order := cmp.Or(first(a.Knows(), b.Knows()), first(a.By.Mine(own), b.By.Mine(own)))
	switch {
	case order != 0 || a.By.Voice() == b.By.Voice():
		return order
	case a.By.Mine(own): // its present id, or an id that it gave up
		return first(a.By.From == nil, b.By.From == nil)
	case a.By.Writer == b.By.Writer: // the same id on two remotes: one of them may be a forgery
		return cmp.Compare(standing(a), standing(b))
	}
	return cmp.Or(
		first(signer(a.By.Voice()) != "", signer(b.By.Voice()) != ""),
		cmp.Compare(originOf(a.By), originOf(b.By)),
		cmp.Compare(rank(a.Tier), rank(b.Tier)),
	)
}

// standing returns the rank of a run's log among the logs of one id on several remotes.
func standing(r *Run) events.Standing {
	if r.By.From == nil {
		return events.Unproved
	}
	return r.By.From.Standing
}

// `between` returns the run that counts where two logs overlap. With equal evidence the smaller id of a writer decides.
// If the owners differ, the result lists the other writer in Disputed.
func between(over, under *Run, own string, signer func(string) string) Run {
	order := right(over, under, own, signer)
	winner, loser := *under, over
	if cmp.Or(order, cmp.Compare(over.By.Writer, under.By.Writer)) < 0 {
		winner, loser = *over, under
	}
	if order != 0 || !winner.Knows() {
		return winner
	}
	if winner.Owner.Kind != loser.Owner.Kind || winner.Owner.Trace != loser.Owner.Trace {
		winner.Disputed = with(winner.Disputed, named(loser, &winner))
	}
	for _, w := range loser.Disputed {
		if w != winner.By.Writer {
			winner.Disputed = with(winner.Disputed, w)
		}
	}
	return winner
}

// `named` returns the name of the writer who disagrees with the winner. It includes the remote if the id is on several.
func named(loser, winner *Run) string {
	if loser.By.Writer == winner.By.Writer && loser.By.From != nil {
		return loser.By.Writer + " on " + loser.By.From.Remote
	}
	return loser.By.Writer
}

// `with` adds a name to a sorted list. Lists may share memory, and each sees only its own length. So a thousand names
// that come in order are stored once. The place after the end of a list is free until a name is stored there.
func with(list []string, name string) []string {
	n := len(list)
	if n > 0 && list[n-1] >= name {
		at, found := slices.BinarySearch(list, name)
		if found {
			return list
		}
		return slices.Insert(slices.Clone(list), at, name)
	}
	if n < cap(list) {
		if more := list[:n+1]; more[n] == "" || more[n] == name {
			more[n] = name
			return more
		}
	}
	more := make([]string, n+1, 2*n+4)
	copy(more, list)
	more[n] = name
	return more
}

// `first` compares two conditions: true sorts before false.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// rank returns the rank of a tier, 0 for the best. An unknown tier comes last.
func rank(tier string) int {
	if at := slices.Index(tiers, tier); at >= 0 {
		return at
	}
	return len(tiers)
}

var tiers = correlate.Tiers()
