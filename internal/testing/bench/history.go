package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// The history of the blamed file, called the hot file. Of sixteen commits, three change it, one is the merge of a short
// branch, and each of the others changes another file.
const (
	hotFile    = "core/engine.go"
	hotLines   = 2500
	hotEvery   = 8
	mergeEvery = 16
	historyOf  = 600 // number of other files
)

// edit is the range of lines of the hot file that a commit added, counted from 1 in that commit.
type edit struct {
	commit       refs.OID
	start, count int
}

// makeHistory makes a repository with a number of commits on its main branch.
func (b *bench) makeHistory(dir string, commits int) error {
	return b.fastImport(dir, func(w *bufio.Writer) {
		h := historyWriter{w: w, rng: rand.New(rand.NewPCG(2, uint64(commits)))}
		h.root()
		for n := 1; n < commits; n++ {
			if n%mergeEvery == 0 {
				h.merge(n)
			} else {
				h.commit(n)
			}
		}
	})
}

// historyWriter writes a stream for git-fast-import(1). Marks are the numbers of commits. Commits on branches have
// higher marks.
type historyWriter struct {
	w    *bufio.Writer
	rng  *rand.Rand
	hot  []string
	side int
}

// sideMark is the first mark of commits on branches.
const sideMark = 1 << 24

func (h *historyWriter) head(branch string, mark, day int) {
	fmt.Fprintf(h.w, "commit refs/heads/%s\nmark :%d\n", branch, mark+1)
	fmt.Fprintf(h.w, "author Author %d <author%d@example.com> %d +0100\n", day%37, day%37, 1_500_000_000+day*3600)
	fmt.Fprintf(h.w, "committer A U Thor <author@example.com> %d +0000\n", 1_500_000_000+day*3600)
	data(h.w, fmt.Sprintf("change number %d\n\nWith a few words on why.\n", mark))
}

func (h *historyWriter) root() {
	h.head("main", 0, 0)
	for range hotLines {
		h.hot = append(h.hot, strings.TrimSuffix(sourceLine(h.rng, 1+len(h.hot)%2), "\n"))
	}
	h.writeHot()
	for n := range historyOf {
		fmt.Fprintf(h.w, "M 100644 inline %s\n", fileName(n))
		data(h.w, source(h.rng, n, 30))
	}
}

func (h *historyWriter) writeHot() {
	fmt.Fprintf(h.w, "M 100644 inline %s\n", hotFile)
	data(h.w, strings.Join(h.hot, "\n")+"\n")
}

// `commit` changes the hot file, or another file.
func (h *historyWriter) commit(n int) {
	h.head("main", n, n)
	if n%hotEvery != 0 && n%hotEvery != 3 {
		h.other()
		return
	}
	for range 1 + h.rng.IntN(3) {
		at, old, added := h.rng.IntN(len(h.hot)-10), h.rng.IntN(5), h.rng.IntN(6)
		var lines []string
		for i := range added {
			lines = append(lines, strings.TrimSuffix(sourceLine(h.rng, 1+i%2), "\n"))
		}
		h.hot = slices.Replace(h.hot, at, at+old, lines...)
	}
	h.writeHot()
}

func (h *historyWriter) other() {
	n := h.rng.IntN(historyOf)
	fmt.Fprintf(h.w, "M 100644 inline %s\n", fileName(n))
	data(h.w, source(h.rng, n, 30))
}

// merge makes a commit on a branch that starts a few commits ago, and merges it.
func (h *historyWriter) merge(n int) {
	h.side++
	h.head("side", sideMark+h.side, n)
	fmt.Fprintf(h.w, "from :%d\n", n-5)
	name := fmt.Sprintf("side/file%d.go", h.side%50)
	text := source(h.rng, n, 30)
	fmt.Fprintf(h.w, "M 100644 inline %s\n", name)
	data(h.w, text)
	h.head("main", n, n)
	fmt.Fprintf(h.w, "from :%d\nmerge :%d\n", n, sideMark+h.side+1)
	fmt.Fprintf(h.w, "M 100644 inline %s\n", name)
	data(h.w, text)
}

// hotEdits returns the lines that each commit added to the hot file.
func (b *bench) hotEdits(dir string) ([]edit, error) {
	out, err := b.output(b.git(dir, "log", "--first-parent", "--no-merges", "--format=commit %H", "-U0", "--no-color",
		"HEAD", "--", hotFile))
	if err != nil {
		return nil, err
	}
	var edits []edit
	var commit refs.OID
	for line := range bytes.Lines([]byte(out)) {
		fields := strings.Fields(string(line))
		switch {
		case len(fields) == 2 && fields[0] == "commit":
			if commit, err = refs.ParseOID(fields[1]); err != nil {
				return nil, err
			}
		case len(fields) > 3 && fields[0] == "@@":
			start, number, counted := strings.Cut(strings.TrimPrefix(fields[2], "+"), ",")
			if !counted {
				number = "1"
			}
			e := edit{commit: commit}
			if e.start, err = strconv.Atoi(start); err != nil {
				return nil, err
			}
			if e.count, err = strconv.Atoi(number); err != nil {
				return nil, err
			}
			if e.count > 0 {
				edits = append(edits, e)
			}
		}
	}
	slices.Reverse(edits)
	return edits, nil
}

// writeFile writes a file of a work tree.
func writeFile(dir, name, text string) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o666)
}
