package main

import (
	"strings"

	"github.com/git-trace/git-trace/correlate/backfill"
	"github.com/git-trace/git-trace/records/rawjson"
)

// patchReplacements are the changes of one file of a patch in the form that models write, "*** Begin Patch": each section as a
// replacement of its context and removed lines by its context and added lines. The path is one that ends in the patch's.
func patchReplacements(input []byte, path string) []backfill.Replacement {
	text := commandOf(input)
	for _, member := range []string{"input", "patch"} {
		if text == "" {
			text = rawjson.MemberText(input, member)
		}
	}
	_, patch, found := strings.Cut(text, "*** Begin Patch")
	if !found {
		return nil
	}
	var out []backfill.Replacement
	var old, now []string
	changed := false
	flush := func() {
		if changed && len(old) > 0 {
			out = append(out, backfill.Replacement{Old: strings.Join(old, "\n") + "\n", New: closedLines(now)})
		}
		old, now, changed = nil, nil, false
	}
	ours := false
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "*** Update File: "):
			flush()
			ours = sameFile(path, strings.TrimPrefix(line, "*** Update File: "))
		case strings.HasPrefix(line, "*** Move to: "):
			ours = ours || sameFile(path, strings.TrimPrefix(line, "*** Move to: "))
		case strings.HasPrefix(line, "*** End of File"):
		case strings.HasPrefix(line, "*** "):
			flush()
			ours = false
		case !ours:
		case strings.HasPrefix(line, "@@"):
			flush()
		case strings.HasPrefix(line, "+"):
			now, changed = append(now, line[1:]), true
		case strings.HasPrefix(line, "-"):
			old, changed = append(old, line[1:]), true
		case line == "" || line[0] == ' ':
			line = strings.TrimPrefix(line, " ")
			old, now = append(old, line), append(now, line)
		}
	}
	flush()
	return out
}

func closedLines(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// sameFile tells whether a path ends in that of a patch.
func sameFile(path, named string) bool {
	named = strings.TrimPrefix(strings.TrimSpace(named), "./")
	return named != "" && (path == named || strings.HasSuffix(path, "/"+strings.TrimPrefix(named, "/")))
}
