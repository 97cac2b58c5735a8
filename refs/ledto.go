package refs

import (
	"context"
	"strings"
)

// LedTo tells of commits, named by their full ids, whether one of the tips leads to them; of one that is not here it
// says nothing. Tips are given as git-rev-list(1) takes them, "--all" for instance; one that is not here counts for
// nothing.
func (r *Repo) LedTo(ctx context.Context, commits []string, tips ...string) (map[string]bool, error) {
	if len(commits) == 0 {
		return nil, nil
	}
	there, err := r.Git(ctx, strings.NewReader(strings.Join(commits, "\n")+"\n"), "cat-file",
		"--batch-check=%(objectname)")
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for line := range strings.Lines(string(there)) {
		if id := strings.TrimSuffix(line, "\n"); !strings.HasSuffix(id, " missing") {
			out[id] = true
		}
	}
	var ask strings.Builder
	for id := range out {
		ask.WriteString(id + "\n")
	}
	if ask.Len() == 0 {
		return out, nil
	}
	args := append([]string{"rev-list", "--ignore-missing", "--stdin", "--not"}, tips...)
	left, err := r.Git(ctx, strings.NewReader(ask.String()), args...)
	if err != nil {
		return nil, err
	}
	for id := range strings.FieldsSeq(string(left)) {
		if out[id] {
			out[id] = false
		}
	}
	return out, nil
}
