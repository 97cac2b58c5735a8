package doctor

import (
	"context"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/editors"
	"github.com/git-trace/git-trace/internal/numbers"
)

// editorFindings reports editors on this machine whose completions are not reported.
func (d *Doctor) editorFindings(ctx context.Context) []Finding {
	ignored, err := agents.Ignored(ctx, d.repo, d.env)
	if err != nil && ignored == nil {
		return nil // checkSettings reports it
	}
	var out []Finding
	for _, e := range editors.Untold(d.env, d.repo.WorkTree) {
		if slices.Contains(ignored, e.Name) {
			continue
		}
		mend := agents.IgnoreKey + " = " + e.Name + " leaves this out"
		if e.Mend != "" {
			mend = e.Mend + " (" + mend + ")"
		}
		out = append(out, Finding{
			What: e.Title + ": nothing tells of the completions of " + strings.Join(e.By, ", ") + ": " +
				numbers.Agree(len(e.By), "its", "their") + " lines count as a person's, with confidence medium while it has " +
				"the work tree open",
			Mend: mend,
		})
	}
	return out
}
