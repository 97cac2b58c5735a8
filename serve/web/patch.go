package web

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"unicode"

	"github.com/git-trace/git-trace/refs/gitdiff"
	"github.com/git-trace/git-trace/report/diff"
)

// patchFile is the diff of one file.
type patchFile struct {
	Path, OldPath  string
	Note           string // new, deleted, renamed or binary
	Added, Removed int
	Hunks          []*patchHunk
	Cut            bool // the diff has more than is drawn
}

type patchHunk struct {
	Head string
	Rows []*patchRow
}

// patchRow is a line of a diff.
type patchRow struct {
	Kind     string // old, new or both
	Old, New int    // line numbers; 0 on the side without this line
	Parts    []part
	Owner    *diff.RunJSON
	Lived    string // age of the line; only for the first removed line of an owner's run

	text string
}

// part is a piece of a line. Marked pieces have changed. Kind is the word's kind.
type part struct {
	Text   string
	Marked bool
	Kind   string
}

// Limits for a drawn diff.
const (
	mostDiffFiles = 500
	mostDiffRows  = 6000
	mostDiffLine  = 2000 // bytes
)

// patch runs git diff with three lines of context, and parses it.
func (f *files) patch(ctx context.Context, from, to string) ([]*patchFile, error) {
	args := []string{"-c", "core.quotePath=true", "diff-tree", "-r", "-p", "--root", "--no-commit-id", "--no-color",
		"--no-ext-diff", "--no-textconv", "-M", "-U3", "--src-prefix=a/", "--dst-prefix=b/"}
	if from != "" {
		args = append(args, from)
	}
	out, err := f.repo.Git(ctx, nil, append(args, to, "--")...)
	if err != nil {
		return nil, err
	}
	return readPatch(out), nil
}

// readPatch parses the output of git-diff(1). It skips lines that it does not know.
func readPatch(out []byte) []*patchFile {
	var list []*patchFile
	var file *patchFile
	var hunk *patchHunk
	rows, oldAt, newAt, oldLeft, newLeft := 0, 0, 0, 0, 0
	for raw := range bytes.Lines(out) {
		line := strings.TrimSuffix(string(raw), "\n")
		inside := oldLeft > 0 || newLeft > 0
		if inside && line != "" && strings.ContainsRune(" +-", rune(line[0])) {
			row := &patchRow{text: strings.TrimSuffix(line[1:min(len(line), mostDiffLine)], "\r")}
			switch line[0] {
			case '+':
				row.Kind, row.New = "new", newAt
				file.Added++
			case '-':
				row.Kind, row.Old = "old", oldAt
				file.Removed++
			default:
				row.Kind, row.Old, row.New = "both", oldAt, newAt
			}
			if row.Kind != "old" {
				newAt, newLeft = newAt+1, newLeft-1
			}
			if row.Kind != "new" {
				oldAt, oldLeft = oldAt+1, oldLeft-1
			}
			if rows++; rows > mostDiffRows {
				file.Cut = true
				continue
			}
			row.Parts = []part{{Text: row.text}}
			hunk.Rows = append(hunk.Rows, row)
			continue
		}
		switch {
		case strings.HasPrefix(line, "diff --git "):
			file, oldLeft, newLeft = &patchFile{Path: pathOfHeader(line)}, 0, 0
			list = append(list, file)
		case file == nil:
		case strings.HasPrefix(line, "@@ "):
			head := strings.Fields(line)
			if len(head) < 3 {
				continue
			}
			oldAt, oldLeft = stretch(head[1])
			newAt, newLeft = stretch(head[2])
			_, about, _ := strings.Cut(line[3:], "@@")
			hunk = &patchHunk{Head: "line " + strconv.Itoa(newAt) + about}
			file.Hunks = append(file.Hunks, hunk)
		default:
			file.header(line)
		}
	}
	for _, file := range list {
		for _, hunk := range file.Hunks {
			hunk.compare()
		}
	}
	return list
}

// header reads a line above the hunks of a file.
func (f *patchFile) header(line string) {
	path := func(text, prefix string) string {
		if plain, ok := gitdiff.Unquote([]byte(strings.TrimSuffix(text, "\t"))); ok {
			return strings.TrimPrefix(plain, prefix)
		}
		return f.Path
	}
	switch {
	case strings.HasPrefix(line, "new file"):
		f.Note = "new"
	case strings.HasPrefix(line, "deleted file"):
		f.Note = "deleted"
	case strings.HasPrefix(line, "rename from "):
		f.Note, f.OldPath = "renamed", path(line[len("rename from "):], "")
	case strings.HasPrefix(line, "rename to "):
		f.Path = path(line[len("rename to "):], "")
	case strings.HasPrefix(line, "--- ") && f.Note == "deleted":
		f.Path = path(line[len("--- "):], "a/")
	case strings.HasPrefix(line, "+++ ") && line != "+++ /dev/null":
		f.Path = path(line[len("+++ "):], "b/")
	case strings.HasPrefix(line, "Binary files"):
		f.Note = "binary"
	}
}

// pathOfHeader returns the path of a "diff --git" line with two equal paths. If they differ, later lines name them.
func pathOfHeader(line string) string {
	rest := strings.TrimPrefix(line, "diff --git ")
	half := len(rest) / 2
	if plain, ok := gitdiff.Unquote([]byte(rest[min(half+1, len(rest)):])); ok {
		return strings.TrimPrefix(plain, "b/")
	}
	return rest
}

// stretch parses "-12,4" and "+9".
func stretch(text string) (start, count int) {
	first, more, found := strings.Cut(strings.TrimLeft(text, "+-"), ",")
	start, _ = strconv.Atoi(first) // git writes only numbers
	if count = 1; found {
		count, _ = strconv.Atoi(more)
	}
	return start, count
}

// `compare` marks the changed words in replaced lines, line by line.
func (h *patchHunk) compare() {
	for i := 0; i < len(h.Rows); {
		old := i
		for i < len(h.Rows) && h.Rows[i].Kind == "old" {
			i++
		}
		middle := i
		for i < len(h.Rows) && h.Rows[i].Kind == "new" {
			i++
		}
		if n := middle - old; n > 0 && n == i-middle {
			for k := range n {
				h.Rows[old+k].Parts, h.Rows[middle+k].Parts = changed(h.Rows[old+k].text, h.Rows[middle+k].text)
			}
		}
		if i == old {
			i++
		}
	}
}

// `changed` splits two lines, by whole words, into common ends and a difference.
func changed(a, b string) (partsA, partsB []part) {
	wordsA, wordsB := wordsOf(a), wordsOf(b)
	first := 0
	for first < min(len(wordsA), len(wordsB)) && wordsA[first] == wordsB[first] {
		first++
	}
	last := 0
	for last < min(len(wordsA), len(wordsB))-first && wordsA[len(wordsA)-1-last] == wordsB[len(wordsB)-1-last] {
		last++
	}
	same := strings.TrimSpace(strings.Join(wordsA[:first], "") + strings.Join(wordsA[len(wordsA)-last:], ""))
	divide := func(words []string) []part {
		var out []part
		for i, list := range [][]string{words[:first], words[first : len(words)-last], words[len(words)-last:]} {
			if text := strings.Join(list, ""); text != "" {
				out = append(out, part{Text: text, Marked: i == 1 && same != ""})
			}
		}
		return out
	}
	return divide(wordsA), divide(wordsB)
}

// wordsOf splits a line into words and separators.
func wordsOf(line string) []string {
	var out []string
	last := -1
	for _, r := range line {
		kind := 2
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			kind = 0
		case unicode.IsSpace(r):
			kind = 1
		}
		if kind == last && kind != 2 {
			out[len(out)-1] += string(r)
		} else {
			out = append(out, string(r))
		}
		last = kind
	}
	return out
}

func (f *patchFile) own(runs []*diff.RunJSON) {
	for _, hunk := range f.Hunks {
		for _, row := range hunk.Rows {
			for _, run := range runs {
				at := row.New
				if run.Side == "old" {
					at = row.Old
				}
				if run.Side == row.Kind && run.Start <= at && at < run.Start+run.Count {
					row.Owner = run
					break
				}
			}
		}
	}
}

// Pair is a row with the two sides of a diff beside each other.
type Pair struct{ Old, New *patchRow }

// Pairs puts removed lines beside the lines that replaced them.
func (h *patchHunk) Pairs() []Pair {
	var out []Pair
	for i := 0; i < len(h.Rows); {
		if h.Rows[i].Kind == "both" {
			out = append(out, Pair{h.Rows[i], h.Rows[i]})
			i++
			continue
		}
		var old, came []*patchRow
		for ; i < len(h.Rows) && h.Rows[i].Kind == "old"; i++ {
			old = append(old, h.Rows[i])
		}
		for ; i < len(h.Rows) && h.Rows[i].Kind == "new"; i++ {
			came = append(came, h.Rows[i])
		}
		for k := range max(len(old), len(came)) {
			var p Pair
			if k < len(old) {
				p.Old = old[k]
			}
			if k < len(came) {
				p.New = came[k]
			}
			out = append(out, p)
		}
	}
	return out
}
