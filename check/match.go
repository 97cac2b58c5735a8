package check

import (
	"path"
	"strings"

	"github.com/git-trace/git-trace/refs/pathglob"
)

// anyName reports whether one of the patterns matches a name of an agent, a model or a person. A slash is a character
// like any other there.
func anyName(patterns []string, name string) bool {
	plain := strings.NewReplacer("/", "\x00")
	for _, pattern := range patterns {
		if ok, err := path.Match(plain.Replace(pattern), plain.Replace(name)); ok && err == nil {
			return true
		}
	}
	return false
}

// effective returns the rule of a path: the keys of all rules that match it, the last of each key.
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

// reviewed reports whether the rule wants a review.
func (r *Rule) reviewed() bool { return r.Review != nil && *r.Review }

// limits reports whether the rule needs to know who wrote a line.
func (r *Rule) limits() bool { return r.Agents != nil || r.Models != nil || r.reviewed() }
