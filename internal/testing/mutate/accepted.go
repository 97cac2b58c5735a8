package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"strings"
)

// Mutants that are known to survive, each with its reason. An equivalent mutant changes nothing visible, and does not
// count; the others count as survivors.
//
//go:embed accepted.txt
var acceptedText string

type acceptance struct {
	equivalent bool
	reason     string
}

// readAccepted reads a mutant's key a line, and after it a line with `= reason` (equivalent) or `- reason` (not
// tested).
func readAccepted(text string) (map[string]acceptance, error) {
	out := map[string]acceptance{}
	lines := bufio.NewScanner(strings.NewReader(text))
	key := ""
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "= ") || strings.HasPrefix(line, "- "):
			if key == "" {
				return nil, fmt.Errorf("accepted.txt:%d: a reason without a mutant", n)
			}
			out[key] = acceptance{equivalent: line[0] == '=', reason: line[2:]}
			key = ""
		case key != "":
			return nil, fmt.Errorf("accepted.txt:%d: %s has no reason", n-1, key)
		default:
			key = line
		}
	}
	if key != "" {
		return nil, fmt.Errorf("accepted.txt: %s has no reason", key)
	}
	return out, nil
}
