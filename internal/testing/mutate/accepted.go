package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"strings"
)

// Known surviving mutants, each with a reason. An equivalent mutant changes nothing visible, so it does not count. The
// others count as survivors.
//
//go:embed accepted.txt
var acceptedText string

type acceptance struct {
	equivalent bool
	reason     string
}

// readAccepted parses the list: a line with a mutant's key, then a line with `= reason` (equivalent) or `- reason` (not
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
