package view

import (
	"context"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Complete finds the commits that hold lines of the conversations, and their first prompts.
func (r *Reader) Complete(ctx context.Context, list []Conversation) error {
	if err := r.Prompted(list); err != nil {
		return err
	}
	lines, err := r.Lines()
	if err != nil {
		return err
	}
	all := make([][]CommitLines, len(list))
	asked := map[refs.OID]bool{}
	for i := range list {
		if all[i], err = lines.Holding(list[i].Trace, list[i].held); err != nil {
			return err
		}
		for _, c := range all[i] {
			asked[c.Commit] = true
		}
	}
	lost, err := r.unreachable(ctx, asked)
	if err != nil {
		return err
	}
	for i := range list {
		for _, c := range all[i] {
			if lost[c.Commit] {
				list[i].Lost = append(list[i].Lost, c)
			} else {
				list[i].Commits = append(list[i].Commits, c)
			}
		}
	}
	return nil
}

// unreachable tells which of the commits no ref leads to, nor HEAD. Commits that are gone are among them.
func (r *Reader) unreachable(ctx context.Context, commits map[refs.OID]bool) (map[refs.OID]bool, error) {
	out := map[refs.OID]bool{}
	if len(commits) == 0 {
		return out, nil
	}
	ids := make([]string, 0, len(commits))
	for id := range commits {
		ids = append(ids, id.String())
	}
	slices.Sort(ids)
	input := strings.Join(ids, "\n") + "\n"
	there, err := r.repo.Git(ctx, strings.NewReader(input), "cat-file", "--batch-check=%(objectname)")
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(there)) { // of one that is gone: "<id> missing"
		known[strings.TrimSuffix(line, "\n")] = true
	}
	for id := range commits {
		out[id] = !known[id.String()]
	}
	left, err := r.repo.Git(ctx, strings.NewReader(input), "rev-list", "--ignore-missing", "--stdin", "--not", "--exclude=refs/traces/*", "--all")
	if err != nil {
		return nil, err
	}
	for line := range strings.FieldsSeq(string(left)) {
		if id, err := refs.ParseOID(line); err == nil && commits[id] {
			out[id] = true
		}
	}
	return out, nil
}
