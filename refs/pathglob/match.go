// Package pathglob matches paths with patterns in the syntax of gitignore(5). The time is at most proportional to the
// product of both lengths.
package pathglob

import (
	"errors"
	"path"
	"strings"
)

// Longest is the largest length of a pattern, in bytes.
const Longest = 1000

// Valid returns an error for a pattern that matches nothing, or is too long.
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

// Match reports whether a pattern matches a path, as in gitignore(5). A pattern without a slash matches a name at any
// depth. "**" matches any number of directories. A pattern that matches a directory matches everything below it.
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

// segments matches the parts of a pattern with names. If a match fails after a "**", it tries the next name for that
// "**". Only the last "**" is tried again.
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

// MatchName reports whether a pattern matches a whole name that is not a path, such as the name of a model. A slash is
// an ordinary character.
func MatchName(pattern, name string) bool {
	plain := strings.NewReplacer("/", "\x00")
	return matchName(plain.Replace(pattern), plain.Replace(name))
}

// matchName matches one name.
func matchName(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}
