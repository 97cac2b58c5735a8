package unseen

import (
	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
)

// maxMentions limits the number of events that are read for one content, change or line. A line with more mentions is
// common.
const maxMentions = 64

// `latest` returns the last elements of a list, newest first.
func latest(list []index.Mention, most int) []index.Mention {
	var out []index.Mention
	for i := len(list) - 1; i >= 0 && len(out) < most; i-- {
		out = append(out, list[i])
	}
	return out
}

// `tells` reports whether a line is long enough to be evidence.
func tells(line []byte) bool { return correlate.Letters(line) >= correlate.MinSpecific }

// data decodes the data of an event. It returns false if the data is invalid.
func data[T any](e *events.Event) (T, bool) {
	var d T
	err := events.ReadData(e.Data, &d)
	return d, err == nil
}
