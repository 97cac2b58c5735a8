// Package pathglob compares paths with patterns as gitignore(5) writes them. The time that it takes is at most the
// product of the two lengths.
package pathglob

import (
	"errors"
	"path"
	"strings"
)

// Longest is the length of the longest pattern.
const Longest = 1000

// Valid refuses a pattern that matches nothing, or that takes long.
func Valid(pattern string) error {
	if pattern == "" || len(pattern) > Longest {
		return errors.New("a pattern is empty or too long")
	}
	for part := range strings.SplitSeq(pattern, "/") {
		if _, err := path.Match(part, ""); err != nil {
			return errors.New("a bracket of a pattern is not closed")
		}
	}
	return nil
}

// Match reports whether a pattern of paths matches a path, as in gitignore(5): a pattern without a slash matches a
// name at any depth, "**" any number of directories, and a directory all that is below it.
func Match(pattern, name string) bool {
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

// MatchName reports whether a pattern matches a whole name that is not a path, as of a model. A slash is a character
// like any other.
func MatchName(pattern, name string) bool {
	plain := strings.NewReplacer("/", "\x00")
	return matchName(plain.Replace(pattern), plain.Replace(name))
}

// matchName compares one name.
func matchName(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}
