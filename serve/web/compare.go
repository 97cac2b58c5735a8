package web

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records/compare"
	"github.com/git-trace/git-trace/report/answers"
)

type compareBody struct {
	answers.Compare
	Turns []driftTurn
	More  int // number of drifts that are not drawn
}

// driftTurn holds the drifts after a prompt.
type driftTurn struct {
	Prompt int
	Drifts []compare.Drift
}

// mostDrifts limits the drifts that a page draws.
const mostDrifts = 500

// `compared` returns the page that compares two conversations. The form on it passes them as parameters.
func compared(q *question) (string, string, any, error) {
	var ids [2]string
	for i, name := range [...]string{"a", "b"} {
		ids[i] = strings.TrimSpace(cmp.Or(q.r.PathValue(name), q.r.URL.Query().Get(name)))
		if err := noTalk(ids[i]); err != nil || ids[i] == "" {
			return "", "", nil, fmt.Errorf("conversation '%s': %w", ids[i], errNotFound)
		}
	}
	body := &compareBody{}
	if err := q.into(&body.Compare, "compare", "--json", ids[0], ids[1]); err != nil {
		return "", "", nil, err
	}
	for i, side := range [...]*answers.Side{&body.Of, &body.With} {
		if side.File != "" { // a page shows only recorded conversations, no files
			return "", "", nil, fmt.Errorf("conversation '%s': %w", ids[i], errNotFound)
		}
	}
	if whole := at("compare", body.Of.Trace, body.With.Trace); whole != q.r.URL.EscapedPath() {
		return "", "", nil, &moved{(&url.URL{Path: whole}).String()}
	}
	drifts := slices.DeleteFunc(body.Drifts, func(d compare.Drift) bool { return d.Kind == compare.OtherFiles })
	body.More = max(len(drifts)-mostDrifts, 0)
	for _, d := range drifts[:len(drifts)-body.More] {
		n := len(body.Turns)
		if n == 0 || body.Turns[n-1].Prompt != d.Prompt {
			body.Turns = append(body.Turns, driftTurn{Prompt: d.Prompt})
			n++
		}
		body.Turns[n-1].Drifts = append(body.Turns[n-1].Drifts, d)
	}
	return "Two conversations", "compare", body, nil
}

// driftWords describe the kinds of drift.
var driftWords = map[compare.Kind]string{
	compare.Missing: "only the first", compare.Extra: "only the second", compare.OtherTool: "another tool",
	compare.OtherInput: "something else", compare.OtherOrder: "another order", compare.OtherKind: "not the same kind",
}

// Word describes a kind of drift.
func (*compareBody) Word(kind compare.Kind) string { return driftWords[kind] }
