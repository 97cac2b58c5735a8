package view

import (
	"context"

	"github.com/git-trace/git-trace/refs"
)

// Complete finds the commits that hold lines of the conversations, and their first prompts.
func (r *Reader) Complete(ctx context.Context, list []Conversation) error {
	return r.complete(ctx, list, false)
}

func (r *Reader) complete(ctx context.Context, list []Conversation, brief bool) error {
	if err := r.prompted(list, brief); err != nil {
		return err
	}
	lines, err := r.Lines()
	if err != nil {
		return err
	}
	var heirs []refs.OID
	for i := range list {
		for _, h := range list[i].held {
			heir, err := lines.now(h.Commit)
			if err != nil {
				return err
			}
			heirs = append(heirs, heir)
		}
	}
	if _, err := r.Reached(ctx, heirs); err != nil { // together; Holding would ask for them one by one
		return err
	}
	all := make([][]CommitLines, len(list))
	var asked []refs.OID
	for i := range list {
		if all[i], err = lines.Holding(list[i].Trace, list[i].held); err != nil {
			return err
		}
		for _, c := range all[i] {
			asked = append(asked, c.Commit)
		}
	}
	reached, err := r.Reached(ctx, asked)
	if err != nil {
		return err
	}
	for i := range list {
		for _, c := range all[i] {
			switch {
			case reached[c.Commit]:
				list[i].Commits = append(list[i].Commits, c)
			case !list[i].own && r.reach.gone[c.Commit]:
				list[i].Absent = append(list[i].Absent, c)
			default:
				list[i].Lost = append(list[i].Lost, c)
			}
		}
		if list[i].Lines, err = r.once(lines, list[i].Trace, list[i].Commits); err != nil {
			return err
		}
	}
	return nil
}

// Reached reports, for each commit, whether a ref or HEAD leads to it.
func (r *Reader) Reached(ctx context.Context, commits []refs.OID) (map[refs.OID]bool, error) {
	if len(commits) == 0 {
		return nil, nil
	}
	reach, err := r.tips(ctx)
	if err != nil {
		return nil, err
	}
	return reach.ask(ctx, commits)
}

// tips reads the commits that the refs name, once.
func (r *Reader) tips(ctx context.Context) (*reach, error) {
	if r.reach == nil {
		reach, err := openReach(ctx, r.repo)
		if err != nil {
			return nil, err
		}
		r.reach = reach
	}
	return r.reach, nil
}
