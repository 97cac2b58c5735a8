package process

import (
	"path/filepath"
	"slices"
	"strings"
)

// Sight describes what the system shows about a program and a directory.
type Sight int

const (
	Absent   Sight = iota // no process of the program is running
	Running               // it is running, and nothing shows that it has the directory open
	HasOpen               // it was started with the directory, or it or one of its descendants works in it
	NotShown              // the system does not list processes
)

// See searches for running processes of a program, and checks whether they have a directory open. The function `runs`
// recognises the processes by their name and command line. For example: if an editor runs a shell in one of its
// windows, the shell works in the directory of that window.
func See(dir string, runs func(name string, arguments func() []string) bool) Sight {
	list := all()
	if len(list) == 0 {
		return NotShown
	}
	parents, of, seen := map[int]int{}, map[int]bool{}, Absent
	for _, pid := range list {
		info, found := infoOf(pid)
		if !found || info.ended {
			continue
		}
		parents[pid] = info.parent
		arguments := func() []string { return argumentsOf(pid) }
		if !runs(info.name, arguments) {
			continue
		}
		of[pid], seen = true, Running
		if slices.ContainsFunc(arguments()[1:], func(word string) bool { return names(word, directoryOf(pid), dir) }) {
			return HasOpen
		}
	}
	if seen == Absent {
		return Absent
	}
	for pid := range parents {
		for up, depth := pid, 0; up > 1 && depth < maxDepth; up, depth = parents[up], depth+1 {
			if of[up] && holds(dir, directoryOf(pid)) {
				return HasOpen
			}
		}
	}
	return seen
}

// `names` reports whether a word of a command line is the path of a directory, of something in it, or of a directory
// around it.
func names(word, at, dir string) bool {
	for _, option := range []string{"--folder-uri=", "--file-uri=", "file://"} {
		word = strings.TrimPrefix(word, option)
	}
	if word == "" || word[0] == '-' {
		return false
	}
	if !filepath.IsAbs(word) {
		word = filepath.Join(at, word)
	}
	word = filepath.Clean(word)
	return holds(dir, word) || word != "/" && holds(word, dir)
}

// `holds` reports whether a path is a directory or is below it.
func holds(dir, path string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }
