package ledger

import (
	"bytes"
	"os"
	"slices"
	"strconv"
)

// A path that was renamed has a second file. It lists the other names of the path's content, one quoted name per line.
// Both names list each other, because git carries changes over in both directions (git-merge(1), on renames).

// maxNames limits the number of other names that are read for one path.
const maxNames = 8

func (k *Known) namesFile(path string) string { return k.file(path) + ".names" }

// Link stores that two paths are names of the same file.
func (k *Known) Link(a, b string) {
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		list := k.otherNames(pair[0])
		if slices.Contains(list, pair[1]) {
			continue
		}
		k.names[pair[0]] = append(list[:len(list):len(list)], pair[1])
		add := k.adding(pair[0])
		add.names = append(add.names, strconv.Quote(pair[1])+"\n"...)
	}
}

// Names lists the other names of a path's content, nearest first.
func (k *Known) Names(path string) []string {
	out := []string{path}
	for i := 0; i < len(out) && len(out) <= maxNames; i++ {
		for _, name := range slices.Backward(k.otherNames(out[i])) {
			if !slices.Contains(out, name) && len(out) <= maxNames {
				out = append(out, name)
			}
		}
	}
	return out[1:]
}

func (k *Known) otherNames(path string) []string {
	if list, ok := k.names[path]; ok {
		return list
	}
	var list []string
	raw, _ := os.ReadFile(k.namesFile(path))
	for line := range bytes.Lines(raw) {
		if name, err := strconv.Unquote(string(bytes.TrimSuffix(line, []byte("\n")))); err == nil {
			list = append(list, name)
		}
	}
	k.names[path] = list
	return list
}
