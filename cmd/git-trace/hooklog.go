package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// hookFailure is a line that a hook left because it could not tell anybody.
type hookFailure struct {
	Time time.Time `json:"time"`
	What string    `json:"what"`
}

// hookFailures reads what hooks have left, oldest first.
func hookFailures(repo *refs.Repo) ([]hookFailure, error) {
	raw, err := os.ReadFile(repo.HookLog())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []hookFailure
	for line := range bytes.Lines(raw) {
		when, what, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		at, err := time.Parse(time.RFC3339, when)
		if err != nil {
			continue // a line that a killed process left half written
		}
		out = append(out, hookFailure{at, printable(what)})
	}
	return out, nil
}
