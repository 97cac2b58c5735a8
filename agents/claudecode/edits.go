package claudecode

import (
	"strings"

	"github.com/git-trace/git-trace/events"
)

// declare returns what an edit tool declares about its path, in order. It adds whole contents if the payload has them
// or if they follow exactly from it. Before is in the first edit and After in the last, because Claude reports the file
// around the whole call.
func declare(kind events.BoundaryKind, tool, path string, in *input, out *response) []events.DeclaredEdit {
	done := kind == events.ToolAfter
	if !done {
		out = &response{}
	}
	switch tool {
	case "Write":
		content := in.Content
		if out.Content != nil {
			content = *out.Content
		}
		edit := events.DeclaredEdit{Path: path, New: content}
		if done {
			edit.Before, edit.After = out.Original, &content
			if out.Type == "create" && edit.Before == nil {
				edit.Before = new(string)
			}
			if out.UserModified {
				edit.Proposed = &in.Content
			}
		}
		return []events.DeclaredEdit{edit}
	case "NotebookEdit":
		edit := events.DeclaredEdit{Path: path, Old: out.OldSource, New: in.NewSource}
		if out.NewSource != nil {
			edit.New = *out.NewSource
		}
		if done && out.Error == "" {
			edit.Before, edit.After = out.OriginalBook, out.UpdatedBook
		}
		return []events.DeclaredEdit{edit}
	}
	edits := replacements(done, path, steps(in, out), out)
	if asked := steps(in, &response{}); out.UserModified && len(asked) == len(edits) {
		for i := range edits {
			edits[i].Proposed = &asked[i].New
		}
	}
	return edits
}

// steps returns the replacements that an Edit or a MultiEdit made or will make. The tool's report is preferred to its
// input: the tool also matches other quotation marks, and drops white space at line ends.
func steps(in *input, out *response) []replacement {
	switch {
	case len(out.Edits) > 0:
		return out.Edits
	case len(in.Edits) > 0:
		return in.Edits
	}
	step := in.replacement
	if out.Old != nil && out.New != nil {
		step = replacement{Old: *out.Old, New: *out.New, All: out.All || step.All}
	}
	return []replacement{step}
}

func replacements(done bool, path string, steps []replacement, out *response) []events.DeclaredEdit {
	edits := make([]events.DeclaredEdit, len(steps))
	for i := range steps {
		edits[i] = events.DeclaredEdit{Path: path, Old: steps[i].Old, New: steps[i].New}
	}
	if !done {
		return edits
	}
	before := out.Original
	if before == nil {
		before = out.OriginalMulti
	}
	if before == nil && steps[0].Old == "" { // an edit with an empty old text makes a new file
		before = new(string)
	}
	edits[0].Before = before
	if before == nil || out.UserModified {
		for i := range edits { // the tool does not format
			edits[i].Exact = !out.UserModified
		}
		return edits
	}
	content := *before
	for i := range steps {
		next, exact := replace(content, &steps[i])
		if !exact {
			return edits
		}
		content = next
	}
	edits[len(edits)-1].After = &content
	return edits
}

// replace makes a replacement as Claude's edit tools do, and reports whether the result is certain.
func replace(content string, step *replacement) (string, bool) {
	from, to := step.Old, step.New
	if from == "" {
		return to, strings.TrimSpace(content) == ""
	}
	count := strings.Count(content, from)
	if count == 0 || count > 1 && !step.All {
		return "", false
	}
	// If a text is deleted, the newline after it is deleted too.
	if to == "" && !strings.HasSuffix(from, "\n") && strings.Contains(content, from+"\n") {
		from += "\n"
	}
	if step.All {
		return strings.ReplaceAll(content, from, to), true
	}
	return strings.Replace(content, from, to, 1), true
}
