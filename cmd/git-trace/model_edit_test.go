package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// word makes a unique line.
func (w *world) word(rng *rand.Rand) string {
	w.written++
	verbs := []string{"call", "check", "return", "store", "value", "print"}
	indents := []string{"", "", "\t", "\t\t", "    "}
	if w.profile.shaped {
		return fmt.Sprintf("%s%s_%02d_%03d('%s%02d_%03d', last)\n", indents[rng.IntN(len(indents))], verbs[rng.IntN(len(verbs))],
			w.step, w.written, argumentBegins, w.step, w.written)
	}
	return fmt.Sprintf("%s%s_%02d_%03d(first, last)\n", indents[rng.IntN(len(indents))], verbs[rng.IntN(len(verbs))], w.step, w.written)
}

// text makes new lines, common ones among them.
func (w *world) text(rng *rand.Rand, n int) []string {
	out := make([]string, n)
	for i := range out {
		if rng.IntN(100) < 65 {
			out[i] = w.word(rng)
			continue
		}
		out[i] = commons[rng.IntN(len(commons))] + "\n"
		if rng.IntN(3) == 0 && out[i] != "\n" {
			out[i] = "\t" + out[i]
		}
	}
	return out
}

// reshape makes one change in a text: lines inserted, replaced or deleted at one place.
func (w *world) reshape(rng *rand.Rand, old []string) (text []string, from []int) {
	at := 0
	if len(old) > 0 {
		at = rng.IntN(len(old) + 1)
	}
	gone, born := 0, 1+rng.IntN(5)
	switch kind := rng.IntN(10); {
	case kind < 4 && at < len(old):
		gone = 1 + rng.IntN(min(3, len(old)-at))
	case kind < 6 && at < len(old) && len(old) > 3:
		gone, born = 1+rng.IntN(min(3, len(old)-at)), 0
	}
	for splits(old, at) {
		at, gone = at-1, gone+min(gone, 1)
	}
	for splits(old, at+gone) {
		gone++
	}
	fresh := w.text(rng, born)
	for i := range old[:at] {
		from = append(from, i)
	}
	for range fresh {
		from = append(from, -1)
	}
	for i := at + gone; i < len(old); i++ {
		from = append(from, i)
	}
	text = slices.Concat(old[:at], fresh, old[at+gone:])
	return text, from
}

// newPath names a file that was never there.
func (w *world) newPath(rng *rand.Rand) string {
	w.named++
	dirs := []string{"", "", "dir/", "other/"}
	return fmt.Sprintf("%sn%d-%d.txt", dirs[rng.IntN(len(dirs))], w.step, w.named)
}

// paths lists the files of a work tree.
func (w *world) paths(dir string) []string {
	var out []string
	w.must(filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasPrefix(entry.Name(), ".") && name != dir {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.IsDir() {
			rel, _ := filepath.Rel(dir, name)
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	}))
	return out
}

func (w *world) pickPath(rng *rand.Rand, dir string) (string, bool) {
	paths := w.paths(dir)
	if len(paths) == 0 {
		return "", false
	}
	return paths[rng.IntN(len(paths))], true
}

// humanEdit: somebody types, and nothing is told of it.
func humanEdit(w *world, rng *rand.Rand, dir string) bool {
	path, ok := w.pickPath(rng, dir)
	if !ok || w.renamed[dir+"\x00"+path] {
		return false // renamed and edited beyond recognition before anybody looks: that is a new file
	}
	for range 1 + rng.IntN(2) {
		old, _ := w.read(dir, path)
		text, from := w.reshape(rng, old)
		w.writeAs(dir, path, from, text, byHuman)
	}
	w.put(dir, path)
	return true
}

func humanNew(w *world, rng *rand.Rand, dir string) bool {
	path := w.newPath(rng)
	w.writeAs(dir, path, nil, w.text(rng, 2+rng.IntN(8)), byHuman)
	w.put(dir, path)
	return true
}

func agentNew(w *world, rng *rand.Rand, dir string) bool {
	path, lines := w.newPath(rng), w.text(rng, 2+rng.IntN(8))
	w.agentWrite(dir, w.session(rng), path, nil, lines)
	return true
}

func (w *world) session(rng *rand.Rand) string { return sessions[rng.IntN(len(sessions))] }

// agentEdit: an agent changes a file with one of its tools.
func agentEdit(w *world, rng *rand.Rand, dir string) bool {
	path, ok := w.pickPath(rng, dir)
	if !ok {
		return false
	}
	s := w.session(rng)
	old, _ := w.read(dir, path)
	text, from := w.reshape(rng, old)
	switch kind := rng.IntN(10); {
	case kind < 6 && w.agentReplace(dir, s, path, text, from):
	case kind < 8:
		w.agentWrite(dir, s, path, from, text)
	default:
		w.agentShell(dir, s, func() {
			w.writeAs(dir, path, from, text, s)
			w.put(dir, path)
		})
	}
	return true
}

// agentScript: an agent's shell call that changes several files.
func agentScript(w *world, rng *rand.Rand, dir string) bool {
	s := w.session(rng)
	w.agentShell(dir, s, func() {
		for range 1 + rng.IntN(3) {
			path, ok := w.pickPath(rng, dir)
			if !ok || rng.IntN(4) == 0 {
				path = w.newPath(rng)
			}
			old, _ := w.read(dir, path)
			text, from := w.reshape(rng, old)
			w.writeAs(dir, path, from, text, s)
			w.put(dir, path)
		}
	})
	return true
}

// moveBlock: somebody moves a block of unique lines within its file; it keeps its owners.
func moveBlock(w *world, rng *rand.Rand, dir string) bool {
	path, ok := w.pickPath(rng, dir)
	if !ok {
		return false
	}
	old, _ := w.read(dir, path)
	if len(old) < 9 || w.shapedNow[dir+"\x00"+path] {
		return false
	}
	first := rng.IntN(len(old) - 5)
	last := first + 4 + rng.IntN(min(4, len(old)-first-4))
	unique, fresh := 0, 0 // lines that speak for themselves, and those of them that nobody has looked at yet
	base, edited := w.unseen[dir+"\x00"+path]
	edited = edited && slices.Equal(base.text, old)
	for i, line := range old[first:last] {
		if w.ledger.words[bare(line)] == "" {
			continue
		}
		unique++
		if edited && base.from[first+i] < 0 {
			fresh++
		}
	}
	edge := func(i int) bool { return i < 0 || i >= len(old) || w.ledger.words[bare(old[i])] != "" }
	to := rng.IntN(len(old) + 1)
	if splits(old, first) || splits(old, last) || splits(old, to) || unique < 4 || fresh > 0 && unique-fresh < 4 || !edge(first) || !edge(last-1) || !edge(first-1) || !edge(last) || !edge(to-1) || !edge(to) ||
		max(first-to, to-last) <= last-first {
		return false // what is moved must be less than what it is moved over, or the rest has moved
	}
	order := make([]int, 0, len(old))
	for i := range len(old) + 1 {
		if i == to {
			for k := first; k < last; k++ {
				order = append(order, k)
			}
		}
		if i < len(old) && (i < first || i >= last) {
			order = append(order, i)
		}
	}
	text := make([]string, len(order))
	for n, at := range order {
		text[n] = old[at]
	}
	w.byAnyone(rng, dir, path, order, text)
	if _, open := w.unseen[dir+"\x00"+path]; open {
		w.movedNow[dir+"\x00"+path] = true
	}
	return true
}

// respace: somebody changes white space only; it keeps its owners.
func respace(w *world, rng *rand.Rand, dir string) bool {
	path, ok := w.pickPath(rng, dir)
	if !ok {
		return false
	}
	old, _ := w.read(dir, path)
	if len(old) == 0 {
		return false
	}
	text, from := slices.Clone(old), make([]int, len(old))
	first := rng.IntN(len(old))
	last := first + 1 + rng.IntN(len(old)-first)
	kind := rng.IntN(3)
	if w.profile.living { // the client gives all lines of a file the same end
		kind = rng.IntN(2)
	}
	for i := range text {
		from[i] = i
		line := strings.TrimRight(old[i], "\r\n")
		switch {
		case kind == 2 && strings.HasSuffix(old[0], "\r\n"):
			text[i] = line + "\n"
		case kind == 2:
			text[i] = line + "\r\n"
		case i < first || i >= last:
		case kind == 1:
			text[i] = strings.TrimLeft(line, " \t") + "\n"
		case line != "":
			text[i] = "\t" + line + "\n"
		}
	}
	w.byAnyone(rng, dir, path, from, text)
	return true
}

// byAnyone stores a text of which nobody wrote anything: it is the same whoever did it.
func (w *world) byAnyone(rng *rand.Rand, dir, path string, from []int, text []string) {
	s := w.session(rng)
	switch rng.IntN(3) {
	case 0:
		w.writeAs(dir, path, from, text, byHuman)
		w.put(dir, path)
	case 1:
		w.agentWrite(dir, s, path, from, text)
	default:
		w.agentShell(dir, s, func() {
			w.writeAs(dir, path, from, text, s)
			w.put(dir, path)
		})
	}
}
