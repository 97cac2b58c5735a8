package backfill

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/correlate/claim"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Link says that a commit has lines of a conversation.
type Link struct {
	Commit     refs.OID       `json:"commit"`
	Trace      events.TraceID `json:"trace"`
	Session    string         `json:"session"`
	Agent      string         `json:"agent"`
	Tier       string         `json:"tier"`       // best evidence tier among the lines
	Confidence string         `json:"confidence"` // confidence of this tier
	Lines      int            `json:"lines"`
	Files      int            `json:"files"`
}

// Links sums up a claim: it returns one link for each conversation, sorted by trace. Lines that a commit only moved do
// not count.
func Links(c *claim.Commit) []Link {
	byTrace := map[events.TraceID]*Link{}
	for _, f := range c.Files {
		here := map[events.TraceID]bool{}
		for _, run := range f.Runs {
			if run.Tier == tierMovedLines {
				continue // the lines were only moved
			}
			o := &c.Owners[run.Owner]
			l := byTrace[o.Trace]
			if l == nil {
				l = &Link{Commit: c.Commit, Trace: o.Trace, Session: o.Session, Agent: o.Agent}
				byTrace[o.Trace] = l
			}
			l.Lines += run.Count
			if !here[o.Trace] {
				here[o.Trace] = true
				l.Files++
			}
			if l.Tier == "" || rank(run.Tier) < rank(l.Tier) {
				l.Tier, l.Confidence = run.Tier, confidence(run.Tier)
			}
		}
	}
	out := make([]Link, 0, len(byTrace))
	for _, l := range byTrace {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b Link) int { return strings.Compare(string(a.Trace), string(b.Trace)) })
	return out
}

// rank returns the rank of an evidence tier, 0 for the best.
func rank(tier string) int {
	return slices.Index([]string{tierExactBlob, tierExactLines, tierMovedLines, tierSamePatch, tierReformatted,
		tierNamed, tierFingerprint}, tier)
}

// confidence returns the confidence of an evidence tier, as blame computes it.
func confidence(tier string) string {
	switch tier {
	case tierExactBlob, tierExactLines:
		return "high"
	case tierSamePatch, tierMovedLines, tierReformatted, tierNamed:
		return "medium"
	}
	return "low"
}
