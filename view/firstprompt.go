package view

import (
	"strings"
	"unicode/utf8"

	"github.com/git-trace/git-trace/records/search"
)

// earliest is the number of first prompts of which one must have a text here. Earlier prompts may be from before the
// recording.
const earliest = 3

// Prompted finds the first prompts of the conversations.
func (r *Reader) Prompted(list []Conversation) error { return r.prompted(list, false) }

// `prompted` finds the first prompts; if brief is true, the beginning of each is enough.
func (r *Reader) prompted(list []Conversation, brief bool) error {
	for i := range list {
		var err error
		if list[i].Prompt, err = r.firstPrompt(&list[i], brief); err != nil {
			return err
		}
	}
	return nil
}

// Called returns the name of the conversation in lists: its title, or the heading at the start of its first prompt, or
// "".
func (c *Conversation) Called() string {
	if c.Title != "" || c.Prompt == nil {
		return c.Title
	}
	lines := 0
	for line := range strings.Lines(c.Prompt.Text) {
		line = strings.TrimSpace(line)
		heading := strings.TrimSpace(strings.TrimLeft(line, "#"))
		switch {
		case line == "":
		case line[0] == '#' && heading != "":
			return heading
		case lines > 0 || line[len(line)-1] != ':':
			return ""
		default:
			lines++
		}
	}
	return ""
}

// firstPrompt finds the first prompt whose text this machine has. It does not read a record whose digest has the text.
func (r *Reader) firstPrompt(c *Conversation, brief bool) (*Prompt, error) {
	if r.prompts == nil {
		return nil, nil
	}
	if r.typed == nil {
		typed, err := r.prompts.typed.Traces()
		if err != nil {
			return nil, err
		}
		r.typed = typed
	}
	d, recorded := r.records[c.Trace]
	switch whole := len(d.PromptText) < search.PromptLength-utf8.UTFMax; {
	case r.typed[c.Trace]:
	case !recorded:
		return nil, nil
	case d.PromptIndex == 0 && d.Title != "": // the log has no prompts of this conversation
		return &Prompt{1, strings.ToValidUTF8(d.Title, "\ufffd")}, nil
	case d.PromptIndex == 0 || d.PromptIndex > earliest:
		return nil, nil
	case brief && !whole:
		return &Prompt{d.PromptIndex, strings.ToValidUTF8(d.PromptText, "\ufffd") + "…"}, nil
	case whole:
		return &Prompt{d.PromptIndex, strings.ToValidUTF8(d.PromptText, "\ufffd")}, nil
	}
	for i := 1; i <= min(c.Prompts, earliest); i++ {
		if text, ok, err := r.prompts.Get(c.Trace, i); err == nil && ok {
			return &Prompt{i, strings.ToValidUTF8(text, "\ufffd")}, nil
		}
	}
	return nil, nil
}
