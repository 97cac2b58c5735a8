// Command owners prints the owners of the lines of a file, for scripts:
//
//	owners [BLAME OPTIONS] FILE
//
// For each line it prints "OWNER | content". OWNER is the session (and subagent) of an agent's line, or human or
// unknown.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if err := printOwners(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "owners:", err)
		os.Exit(1)
	}
}

func printOwners(args []string) error {
	cmd := exec.Command("git-trace", append([]string{"blame", "--json"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	var blame struct {
		Lines []ownedLine `json:"lines"`
	}
	if err := json.Unmarshal(out, &blame); err != nil {
		return err
	}
	if err := noteEvidence(args, blame.Lines); err != nil {
		return err
	}
	for _, l := range blame.Lines {
		fmt.Printf("%s | %s\n", l.owner(), l.Content)
	}
	return nil
}

// ownedLine is a line of blame --json, with the members that scripts use.
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

// owner returns a session and its subagent, or human, or unknown. It adds ?N for N candidates, < for a line that
// replaced another, * for an uncommitted line.
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

// testimony returns the owner, the call, the prompt and the evidence.
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

// evidenceEnv is the variable with the file in which scripts store the evidence.
const evidenceEnv = "OWNERS_EVIDENCE"

// noteEvidence appends the evidence for the lines of one file.
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
