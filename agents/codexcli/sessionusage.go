package codexcli

import (
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// usage has token counts as the client counts them: Input includes the cache reads and writes, Output includes the
// reasoning.
type usage struct {
	Input  int64 `json:"input,omitempty"`
	Read   int64 `json:"read,omitempty"`
	Write  int64 `json:"write,omitempty"`
	Output int64 `json:"output,omitempty"`
}

func usageOf(raw []byte) usage {
	var u usage
	_ = rawjson.Fill(raw, "input_tokens", rawjson.Count(&u.Input), "cached_input_tokens", rawjson.Count(&u.Read),
		"cache_write_input_tokens", rawjson.Count(&u.Write), "output_tokens", rawjson.Count(&u.Output))
	return u
}

func (u usage) plus(other usage) usage {
	return usage{u.Input + other.Input, u.Read + other.Read, u.Write + other.Write, u.Output + other.Output}
}

// buckets returns the token counts without overlap.
func (u usage) buckets() *assemble.Usage {
	return &assemble.Usage{TokenUsage: records.TokenUsage{
		InputTokens: max(u.Input-u.Read-u.Write, 0), CacheReadTokens: u.Read, CacheWriteTokens: u.Write,
		OutputTokens: u.Output,
	}}
}

// tokenCount handles the event with the totals of the session and of the last answer. The same totals may come again:
// they count only if they changed.
func (r *rollout) tokenCount(l *line) error {
	return r.spent(usageOf(rawjson.Member(l.item.info, "last_token_usage")),
		usageOf(rawjson.Member(l.item.info, "total_token_usage")))
}

// usageRecord handles the line that newer versions write for every answer.
func (r *rollout) usageRecord(l *line) error {
	err := r.spent(usageOf(l.item.usage), usageOf(l.item.thread))
	r.c.Take()
	return err
}

// `spent` adds tokens to the last answer. The tokens of an answer without an entry, such as the summary of a compaction
// in older versions, are added to the previous answer.
func (r *rollout) spent(last, total usage) error {
	if total == r.state.Total || total == (usage{}) {
		return nil
	}
	r.state.Total = total
	r.state.Open = false
	r.state.Usage = r.state.Usage.plus(last)
	if r.state.Last == "" {
		return nil
	}
	if !r.c.Waits(r.state.Last) {
		r.c.Drop("late_piece_tokens")
		return nil
	}
	return r.c.Answer(assemble.Answer{Key: r.state.Last, Usage: r.state.Usage.buckets()})
}
