package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"
)

// The functions to mutate: one line a file, with the names of its functions after it; without names, all of them.
//
//go:embed decisions.txt
var decisionText string

// decision is one file of the list.
type decision struct {
	file  string   // relative to the module's root, with slashes
	funcs []string // "Name" or "Type.Name"; empty: all
}

func (d decision) pkg() string { return path.Dir(d.file) }

func (d decision) has(name string) bool { return len(d.funcs) == 0 || slices.Contains(d.funcs, name) }

func readDecisions(text string) ([]decision, error) {
	var out []decision
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if !strings.HasSuffix(fields[0], ".go") {
			return nil, fmt.Errorf("decisions.txt:%d: %q is no Go file", n, fields[0])
		}
		out = append(out, decision{file: fields[0], funcs: fields[1:]})
	}
	return out, nil
}
