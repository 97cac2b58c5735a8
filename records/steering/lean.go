package steering

import "github.com/git-trace/git-trace/records"

// maxOutput is how much of an output is looked at, in bytes.
const maxOutput = 16 << 10

// Lean drops from a record what steering does not ask about, so that many fit into memory: definitions of tools,
// thoughts, attribution, and all of an output but its beginning.
func Lean(r *records.Record) {
	r.ToolDefinitions, r.SystemPrompts, r.Attribution = nil, nil, nil
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.ReasoningContent != nil {
			s.ReasoningContent = new("…") // that there were thoughts counts
		}
		s.ToolsAvailable = nil
		for j := range s.Snippets {
			s.Snippets[j].Text = nil
		}
		for j := range s.Observations {
			if o := &s.Observations[j]; o.Content != nil && len(*o.Content) > maxOutput {
				*o.Content = string([]byte((*o.Content)[:maxOutput])) // a copy, so that the rest goes
			}
		}
	}
}
