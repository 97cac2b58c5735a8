package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/view"
)

// filters lists the values of the parameter `show`, which selects steps of a conversation.
var filters = []struct {
	name string
	has  func(*callBlock) bool // selects a step by one of its calls; nil: no step
}{
	{"prompts", nil},
	{"edits", (*callBlock).edits},
	{"commands", (*callBlock).runs},
	{"errors", (*callBlock).Failed},
	{"committed", func(c *callBlock) bool { return len(c.Commits) > 0 }},
}

// Shows returns the names of the filters.
func (b *talkBody) Shows() (names []string) {
	for _, f := range filters {
		names = append(names, f.name)
	}
	return names
}

// filter keeps the selected steps.
func (b *talkBody) filter() error {
	if b.Show == "" {
		return nil
	}
	for _, f := range filters {
		if f.name != b.Show {
			continue
		}
		for _, turn := range b.Index {
			turn.Steps = slices.DeleteFunc(turn.Steps, func(s *stepBlock) bool {
				return f.has == nil || !slices.ContainsFunc(s.Calls, f.has)
			})
		}
		b.Index = slices.DeleteFunc(b.Index, func(t *turnBlock) bool {
			return len(t.Steps) == 0 && (f.has != nil || t.Kind == "start")
		})
		return nil
	}
	return fmt.Errorf("show '%s': %w: one of %s", b.Show, errBadQuestion, strings.Join(b.Shows(), ", "))
}

// Files sums up the changes of the conversation's calls by file, as hooks saw them.
func (b *talkBody) Files() []view.FileChange {
	at := map[string]int{}
	var out []view.FileChange
	for i := range b.talkAnswer.Turns {
		for k := range b.talkAnswer.Turns[i].Calls {
			for _, f := range b.talkAnswer.Turns[i].Calls[k].Files {
				n, known := at[f.Path]
				if !known {
					n = len(out)
					at[f.Path] = n
					out = append(out, view.FileChange{Path: f.Path})
				}
				out[n].Added += f.Added
				out[n].Removed += f.Removed
			}
		}
	}
	return out
}

// markdown writes a conversation in the form of git trace show --markdown.
func (s *Site) markdown(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("trace")
	if err := noTalk(id); err != nil {
		s.fail(w, r, err)
		return
	}
	out, err := s.answers.get(r.Context(), nil, "show", "--markdown", id)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(marked(out))
}
