package intake

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view/exchange"
	"github.com/git-trace/git-trace/view/transcripts"
)

// Entire keeps the session files of agents in its own branches and refs. Version 1 uses entire/checkpoints/v1. Version
// 2 uses refs/entire/checkpoints/v2/full, and later one ref a checkpoint. Each session has a directory with a
// metadata.json and the whole session file (full.jsonl or raw_transcript; a long one in numbered pieces). Session files
// of subagents are below "tasks". Each checkpoint repeats the whole file.

// FillFromEntire finds the lines of Entire's sessions in commits, as Fill does with session files.
func (b *Filler) FillFromEntire(ctx context.Context) error {
	list, err := b.Repo.Git(ctx, nil, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/entire",
		"refs/remotes", "refs/entire")
	if err != nil {
		return err
	}
	var tips []string
	for line := range strings.Lines(string(list)) {
		tip, ref, _ := strings.Cut(line, " ")
		if strings.Contains(ref, "/entire/checkpoints/") && !slices.Contains(tips, tip) {
			tips = append(tips, tip)
		}
	}
	if len(tips) == 0 {
		return exit.Fail(exit.Finding, errors.New("this repository has no checkpoints of Entire"),
			"git fetch origin '+refs/heads/entire/checkpoints/*:refs/entire/checkpoints/*' brings a remote's")
	}
	dir, err := os.MkdirTemp("", "git-trace-entire-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	r := &exchange.EntireReader{Objects: b.Repo.Objects(), Dir: dir}
	defer func() { _ = r.Objects.Close() }()
	files := map[string]*exchange.EntireFile{}
	for _, tip := range tips {
		tree, err := b.Repo.Git(ctx, nil, "ls-tree", "-r", "-l", "-z", "--end-of-options", tip)
		if err != nil {
			return err
		}
		r.List(files, string(tree))
	}
	if err := r.Write(files); err != nil {
		return err
	}
	b.ctx = ctx
	commits, err := b.commits(refs.Everywhere())
	if err != nil {
		return err
	}
	env, err := companion.Env()
	if err != nil {
		return err
	}
	found, err := transcripts.Below(env, dir)
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	err = b.read(commits, found)
	fmt.Fprintf(b.Err, "git-trace: hint: read %s of %s; left out: %s that a later one includes, %s unreadable, "+
		"%s of unknown agents\n", numbers.Count(r.Files, "session file"), numbers.Count(r.Checkpoints, "checkpoint"),
		numbers.Thousands(r.Again), numbers.Thousands(r.Unread), numbers.Thousands(max(0, r.Files-len(found))))
	return err
}
