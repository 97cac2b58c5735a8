package doctor

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/refs"
)

// Failure is a failure that a hook noted because it must not print.
type Failure struct {
	Time time.Time `json:"time"`
	What string    `json:"what"`
}

// Failures reads the failures that hooks noted, oldest first.
func Failures(repo *refs.Repo) ([]Failure, error) {
	raw, err := os.ReadFile(repo.HookLog())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Failure
	for line := range bytes.Lines(raw) {
		when, what, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		at, err := time.Parse(time.RFC3339, when)
		if err != nil {
			continue // an incomplete line of a killed process
		}
		out = append(out, Failure{at, cells.Line(what)})
	}
	return out, nil
}
