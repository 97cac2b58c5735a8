package check

import (
	"slices"

	"github.com/git-trace/git-trace/refs/pathglob"
)

// anyName reports whether one of the patterns matches a name of an agent, a model or a person.
func anyName(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return pathglob.MatchName(pattern, name) })
}

// effective returns the rule for a path: the keys of all rules that match it. For each key the last rule counts.
func (p *Policy) effective(name string) (out Rule, from *Rule) {
	for _, r := range p.Rules {
		if !pathglob.Match(r.Pattern, name) {
			continue
		}
		out.Pattern = r.Pattern
		if r.Agents != nil {
			out.Agents = r.Agents
		}
		if r.Models != nil {
			out.Models = r.Models
		}
		if r.Review != nil {
			out.Review = r.Review
		}
		if r.Unknown != nil {
			out.Unknown, from = r.Unknown, r
		}
		if from == nil {
			from = r
		}
	}
	return out, from
}

// `reviewed` reports whether the rule wants a review.
func (r *Rule) reviewed() bool { return r.Review != nil && *r.Review }

// limits reports whether the rule needs to know the owner of a line.
func (r *Rule) limits() bool { return r.Agents != nil || r.Models != nil || r.reviewed() }
