package lookup

import (
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/view"
)

// FewestDigits is the length of the shortest abbreviation of an id, as in git.
const FewestDigits = 4

// mostCandidates limits the listed meanings of an ambiguous id.
const mostCandidates = 20

// Ambiguous is the error for an id with several meanings. Like git, it lists them.
type Ambiguous struct {
	ID         string
	Candidates []string
}

func (e *Ambiguous) Error() string { return fmt.Sprintf("id '%s' is ambiguous", e.ID) }

// ReportAmbiguous lists the candidates of an ambiguous id, one on each line, and returns an error with the exit status.
// It returns other errors unchanged.
func ReportAmbiguous(w io.Writer, err error) error {
	var several *Ambiguous
	if !errors.As(err, &several) {
		return err
	}
	fmt.Fprintf(w, "git-trace: error: %s\n", cells.Message(several.Error()))
	fmt.Fprintln(w, "git-trace: hint: the candidates are:")
	for i, c := range several.Candidates {
		if i == mostCandidates {
			fmt.Fprintf(w, "git-trace: hint:   and %d more\n", len(several.Candidates)-i)
			break
		}
		fmt.Fprintf(w, "git-trace: hint:   %s\n", c)
	}
	return exit.Silent(exit.Git)
}

func ambiguousID(id string, found []view.Candidate) error {
	e := &Ambiguous{ID: id}
	var ids []string
	for _, c := range found {
		ids = append(ids, c.ID)
	}
	n := cells.UniqueLength(ids, 8)
	for _, c := range found {
		what := string(c.Kind)
		switch c.Kind {
		case view.FoundTrace:
			what = "conversation"
		case view.FoundToolCall:
			what = "tool call"
		case view.FoundPatch, view.FoundCommit, view.FoundEvent:
		}
		text := fmt.Sprintf("%s %s", cells.Safe(c.ID[:min(n, len(c.ID))]), what)
		if about := cells.Spaced(c.Event.Agent, Describe(c.Event)); c.Kind != view.FoundCommit && about != "" {
			text += " - " + cells.Cut(cells.Safe(about), 50)
		}
		e.Candidates = append(e.Candidates, text)
	}
	return e
}
