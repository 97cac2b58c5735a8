package transcripts

import (
	"bytes"
	"context"

	"github.com/git-trace/git-trace/correlate/backfill"
	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/refs"
)

// The limits of the trees of one conversation.
const (
	mostTrees     = 2000 // calls
	mostTreeFiles = 500  // files of one call
)

// FromTrees adds the edits of calls whose texts the session file does not have, where another program's hooks noted the
// trees before and after the call, and the repository has both. For example: opentraces noted them for a formatter.
func (t *Transcript) FromTrees(ctx context.Context, repo *refs.Repo) error {
	if t.Err != nil || len(t.trees) == 0 {
		return nil
	}
	told := map[string]bool{}
	for i := range t.Session.Edits {
		told[t.Session.Edits[i].Call] = true
	}
	objects := repo.Objects()
	defer func() { _ = objects.Close() }()
	n := 0
	for _, c := range t.calls {
		trees, seen := t.trees[c.ID]
		if !seen || told[c.ID] || n == mostTrees || !isTree(objects, trees.Before) || !isTree(objects, trees.After) {
			continue
		}
		n++
		if trees.Before != trees.After {
			files, err := history.Between(ctx, repo, trees.Before, trees.After, mostTreeFiles)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				continue // a content is missing, or too large: the call's text stays unknown
			}
			t.addFiles(c, trees.Root, files)
		}
		c.Anything = false
		if t.unseen[c.ID] {
			t.Unseen--
		}
	}
	return nil
}

func isTree(objects *refs.Objects, id refs.OID) bool {
	_, err := objects.Tree(id)
	return err == nil
}

// addFiles adds the changes of files as edits of a call.
func (t *Transcript) addFiles(c *Call, root string, files []history.File) {
	for i := range files {
		f := &files[i]
		if f.NewMode == 0 || f.NewMode == refs.ModeGitlink || len(f.Hunks) == 0 {
			continue
		}
		edit := backfill.Edit{Path: root + "/" + f.Path, Step: c.Step, Prompt: c.Prompt, Call: c.ID, Tool: c.Tool,
			Model: c.Model, Time: c.Began}
		for _, h := range f.Hunks {
			at := h.OldStart
			if len(h.Removed) == 0 { // after that line
				at++
			}
			edit.Hunks = append(edit.Hunks, backfill.Hunk{At: at, Removed: len(h.Removed), Lines: textsOf(h.Added)})
		}
		if f.OldMode == 0 {
			edit.Whole, edit.Hunks = edit.Hunks[0].Lines, nil
		}
		t.Session.Edits = append(t.Session.Edits, edit)
	}
}

// textsOf returns lines without their ends.
func textsOf(lines [][]byte) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = string(bytes.TrimSuffix(line, []byte("\n")))
	}
	return out
}
