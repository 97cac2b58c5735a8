package assemble

import (
	"strings"

	"github.com/git-trace/git-trace/records"
)

// stops maps the words of agents and providers for the end of an answer to the words of records.
var stops = map[string]string{
	"stop": "", "completed": "", "end_turn": "", "tool-calls": "", "tool_calls": "", "tooluse": "", "tool_use": "",
	"function_call": "",
	"length":        "max_tokens", "max_tokens": "max_tokens", "max_output_tokens": "max_tokens",
	"content-filter": "refusal", "content_filter": "refusal", "safety": "refusal", "refusal": "refusal",
	"aborted": "interrupted", "cancelled": "interrupted", "unknown": "", "other": "",
}

// maxReason is the length of the longest reason of an answer's end.
const maxReason = 60

// stopOf returns the reason why an answer ended in the words of records. A reason that only says that it ended adds
// nothing to its calls; a word that is not known here stays as it is.
func stopOf(said string, calls int) string {
	said = strings.TrimSpace(said)
	word, known := stops[strings.ToLower(said)]
	switch {
	case known && word != "":
		return word
	case known, len(said) > maxReason, strings.ContainsFunc(said, func(r rune) bool { return r <= ' ' || r > '~' }):
		return records.UsualStop(calls)
	}
	return said
}
