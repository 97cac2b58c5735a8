package main

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"
)

// rewrite returns the text of a file with all its mutants, inactive. Line numbers do not change.
func rewrite(text []byte, sites []*site) ([]byte, error) {
	sites = slices.Clone(sites)
	slices.SortStableFunc(sites, func(a, b *site) int {
		if c := cmp.Or(cmp.Compare(a.from, b.from), -cmp.Compare(rank(a), rank(b))); c != 0 {
			return c
		}
		return cmp.Compare(b.to, a.to)
	})
	out, rest := render(text, 0, len(text), sites)
	if len(rest) > 0 {
		return nil, errors.New("sites overlap: the finder is to make them of nodes alone")
	}
	return withImport(out), nil
}

func rank(s *site) int {
	if s.prefix {
		return 1
	}
	return 0
}

// render writes text[from:to] with the sites in it, and returns the remaining sites.
func render(text []byte, from, to int, sites []*site) (string, []*site) {
	var b strings.Builder
	for len(sites) > 0 && sites[0].from < to && sites[0].to <= to {
		s := sites[0]
		sites = sites[1:]
		b.Write(text[from:s.from])
		var inner string
		if s.to > s.from {
			inner, sites = render(text, s.from, s.to, sites)
		}
		b.WriteString(s.write(s, inner))
		from = s.to
	}
	b.Write(text[from:to])
	return b.String(), sites
}

// withImport adds the import on the line of the package clause.
func withImport(text string) []byte {
	lines := bytes.SplitAfter([]byte(text), []byte("\n"))
	for i, line := range lines {
		if bytes.HasPrefix(line, []byte("package ")) {
			asked := "; import \"" + module + "/internal/testing/mutate/active\"\n"
			lines[i] = append(bytes.TrimRight(line, "\r\n"), []byte(asked)...)
			break
		}
	}
	return bytes.Join(lines, nil)
}
