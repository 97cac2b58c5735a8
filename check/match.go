package check

import (
	"errors"
	"path"
	"strings"
)

// valid refuses a pattern that matches nothing, or that takes long.
func valid(pattern string) error {
	if pattern == "" || len(pattern) > maxWord {
		return errors.New("a pattern is empty or too long")
	}
	for part := range strings.SplitSeq(pattern, "/") {
		if _, err := path.Match(part, ""); err != nil {
			return errors.New("a bracket of a pattern is not closed")
		}
	}
	return nil
}

// matches reports whether a pattern of paths matches a path, as in gitignore(5): a pattern without a slash matches a
// name at any depth, "**" any number of directories, and a directory all that is below it.
func matches(pattern, name string) bool {
	inside := strings.HasSuffix(pattern, "/")
	pattern = strings.TrimSuffix(pattern, "/")
	if rooted := strings.TrimPrefix(pattern, "/"); rooted != pattern {
		pattern = rooted
	} else if !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	parts, names := strings.Split(pattern, "/"), strings.Split(name, "/")
	for n := len(names); n > 0; n-- { // the path itself, or a directory above it
		if (n < len(names) || !inside) && segments(parts, names[:n]) {
			return true
		}
	}
	return false
}

// segments compares parts of a pattern with names. After a "**" it tries the next name; only the last one matters.
func segments(parts, names []string) bool {
	p, n, star, from := 0, 0, -1, 0
	for n < len(names) {
		switch {
		case p < len(parts) && parts[p] == "**":
			star, from = p, n
			p++
		case p < len(parts) && matchName(parts[p], names[n]):
			p, n = p+1, n+1
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	for p < len(parts) && parts[p] == "**" {
		p++
	}
	return p == len(parts)
}

// matchName compares one name.
func matchName(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// anyName reports whether one of the patterns matches a name of an agent, a model or a person. A slash is a character
// like any other there.
func anyName(patterns []string, name string) bool {
	plain := strings.NewReplacer("/", "\x00")
	for _, pattern := range patterns {
		if matchName(plain.Replace(pattern), plain.Replace(name)) {
			return true
		}
	}
	return false
}

// effective returns the rule of a path: the keys of all rules that match it, the last of each key.
func (p *Policy) effective(name string) (out Rule, from *Rule) {
	for _, r := range p.Rules {
		if !matches(r.Pattern, name) {
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
