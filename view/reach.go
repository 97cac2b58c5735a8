package view

import (
	"bytes"
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zeebo/blake3"

	"github.com/git-trace/git-trace/refs"
)

// reach finds the commits that a branch, a tag or HEAD reaches. In a long history git walks far for an old commit, so
// the results are kept in <common>/traces/cache/reach: a line with the state of the refs for which they are valid, then
// a line for each commit, "+ id" or "- id". A missing commit is not noted: it may be fetched at any time. The file may
// be deleted at any moment.
type reach struct {
	repo  *refs.Repo
	key   string
	known map[refs.OID]bool // whether a ref leads to it
	gone  map[refs.OID]bool // ids that git did not find here
}

// reachPath returns the file of the answers.
func reachPath(repo *refs.Repo) string { return filepath.Join(repo.TracesDir(), "cache", "reach") }

func openReach(ctx context.Context, repo *refs.Repo) (*reach, error) {
	tips, err := repo.RefsState(ctx, "refs/traces/")
	if err != nil && repo.Grafts == "" {
		return nil, err
	}
	shallow, _ := os.ReadFile(filepath.Join(repo.CommonDir, "shallow")) // the ends of a shallow history
	sum := blake3.Sum256(append(tips, shallow...))
	r := &reach{repo: repo, key: hex.EncodeToString(sum[:]), known: map[refs.OID]bool{}, gone: map[refs.OID]bool{}}
	raw, _ := os.ReadFile(reachPath(repo))
	rest, same := bytes.CutPrefix(raw, []byte(r.key+"\n"))
	for line := range bytes.Lines(rest) {
		sign, text, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		if id, err := refs.ParseOID(text); same && err == nil {
			r.known[id] = sign == "+"
		}
	}
	return r, nil
}

// ask reports, for each commit, whether a ref leads to it. For a missing commit the answer is no.
func (r *reach) ask(ctx context.Context, commits []refs.OID) (map[refs.OID]bool, error) {
	out := map[refs.OID]bool{}
	var open []refs.OID
	for _, id := range commits {
		if reached, known := r.known[id]; known {
			out[id] = reached
		} else if !r.gone[id] {
			open = append(open, id)
		}
	}
	led, err := r.repo.LedTo(ctx, open, "--exclude=refs/traces/*", "--all")
	if err != nil && r.repo.Grafts != "" { // the history is damaged, so a ref may lead there
		for _, id := range open {
			out[id] = true
		}
		return out, nil
	}
	if err != nil {
		return out, err
	}
	for _, id := range open {
		if reached, here := led[id]; here {
			out[id], r.known[id] = reached, reached
		} else {
			r.gone[id] = true
		}
	}
	if len(led) > 0 {
		r.keep()
	}
	return out, nil
}

// `keep` stores the answers. If they are lost, git computes them again.
func (r *reach) keep() {
	if !r.repo.HasTraces() {
		return
	}
	lines := make([]string, 0, len(r.known))
	for id, reached := range r.known {
		sign := "-"
		if reached {
			sign = "+"
		}
		lines = append(lines, sign+" "+id.String()+"\n")
	}
	slices.Sort(lines)
	_ = refs.WriteFileAtomic(reachPath(r.repo), []byte(r.key+"\n"+strings.Join(lines, "")), 0o600)
}
