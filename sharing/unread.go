package sharing

import (
	"regexp"
	"sync"

	"github.com/git-trace/git-trace/records"
)

// placeholders matches the texts that stand in records for attachments that are not text, which are never stored. The
// variable encoded matches encoded data in a text, which redaction does not read.
var placeholders = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[(?:image|document|file|audio|input_image|input_file|input_audio)(?: [\w.+/-]{1,80})?\]`)
})

var encoded = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`data:[\w.+/-]{1,80};base64,|[A-Za-z0-9+/]{400,}`)
})

// `unread` counts the data that redaction cannot read: attachments, and texts with encoded data.
func unread(r *records.Record) (attached, data int) {
	look := func(text *string) {
		if text == nil {
			return
		}
		attached += len(placeholders().FindAllStringIndex(*text, -1))
		if encoded().MatchString(*text) {
			data++
		}
	}
	for i := range r.Steps {
		step := &r.Steps[i]
		look(step.Content)
		for k := range step.Observations {
			look(step.Observations[k].Content)
		}
		for k := range step.ToolCalls {
			input := string(step.ToolCalls[k].Input)
			if encoded().MatchString(input) {
				data++
			}
		}
	}
	return attached, data
}
