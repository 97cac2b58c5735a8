package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// A script says who owns a line. On what evidence blame says so, with what confidence, and which call of which prompt
// it names, stands beside the scripts, in testdata/evidence: a line for each `owners` of the script, in its order, with
// what it said of the lines one after the other. UPDATE_EVIDENCE=1 writes them anew; the difference is to be read.
const evidenceDir = "../../testdata/evidence"

// evidenceEnv names the file that `owners` adds to.
const evidenceEnv = "OWNERS_EVIDENCE"

// ownedLine is what blame --json says of a line.
type ownedLine struct {
	Commit      *string `json:"commit"`
	Content     string  `json:"content"`
	Contributor string  `json:"contributor"`
	Session     string  `json:"session"`
	Subagent    string  `json:"subagent"`
	ToolCall    string  `json:"tool_call"`
	Prompt      *struct {
		Index int `json:"index"`
	} `json:"prompt"`
	Candidates []json.RawMessage `json:"candidates"`
	Previous   json.RawMessage   `json:"previous"`
	Evidence   string            `json:"evidence"`
	Confidence string            `json:"confidence"`
}

// owner is a session and its sub-agent, human or unknown; ?N for so many candidates, < for a line that took another's
// place, * for one that no commit has.
func (l *ownedLine) owner() string {
	owner := l.Contributor
	if owner == "ai" && l.Session != "" {
		owner = l.Session
		if l.Subagent != "" {
			owner += "/" + l.Subagent
		}
	}
	if len(l.Candidates) > 0 {
		owner += fmt.Sprintf("?%d", len(l.Candidates))
	}
	if len(l.Previous) > 0 && string(l.Previous) != "null" {
		owner += "<"
	}
	if l.Commit == nil {
		owner += "*"
	}
	return owner
}

// testimony is the owner, the call, the prompt and the evidence.
func (l *ownedLine) testimony() string {
	out := l.owner()
	if l.ToolCall != "" {
		out += " " + strings.TrimPrefix(l.ToolCall, "toolu_")
	}
	if l.Prompt != nil {
		out += fmt.Sprintf(" prompt %d", l.Prompt.Index)
	}
	if l.Evidence != "" || l.Confidence != "" {
		out += " " + l.Evidence + " " + l.Confidence
	}
	return out
}

// noteEvidence adds what was said of the lines of one file.
func noteEvidence(args []string, lines []ownedLine) error {
	path := os.Getenv(evidenceEnv)
	if path == "" {
		return nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	var parts []string
	for i := 0; i < len(lines); {
		n, said := i, lines[i].testimony()
		for i < len(lines) && lines[i].testimony() == said {
			i++
		}
		parts = append(parts, fmt.Sprintf("%d %s", i-n, said))
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	asked := strings.ReplaceAll(strings.Join(args, " "), os.Getenv("WORK"), "$WORK")
	_, err = fmt.Fprintf(file, "%s %s: %s\n", filepath.Base(dir), asked, strings.Join(parts, ", "))
	return errors.Join(err, file.Close())
}

// holdEvidence compares, when a script has ended well, what was noted with what stands in a directory. A script in
// which a moment decides takes the variable away.
func holdEvidence(env *testscript.Env, dir string) {
	noted := filepath.Join(env.WorkDir, ".owners")
	env.Setenv(evidenceEnv, noted)
	name := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")
	env.Defer(func() {
		if t, ok := env.T().(interface {
			Failed() bool
			Skipped() bool
		}); ok && (t.Failed() || t.Skipped()) {
			return
		}
		got, err := os.ReadFile(noted)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			env.T().Fatal(err)
		}
		golden := filepath.Join(dir, name+".txt")
		want, err := os.ReadFile(golden)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			env.T().Fatal(err)
		}
		if string(got) == string(want) {
			return
		}
		if os.Getenv("UPDATE_EVIDENCE") != "" {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				env.T().Fatal(err)
			}
			return
		}
		env.T().Fatal(fmt.Sprintf("%s is not what owners said; if it is right now, UPDATE_EVIDENCE=1 writes it:\n%s", golden, firstDifference(string(want), string(got))))
	})
}

// firstDifference shows the first line that two texts differ in.
func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(a), len(b)) {
		var x, y string
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return fmt.Sprintf("line %d: want %s\n     got %s", i+1, x, y)
		}
	}
	return ""
}
