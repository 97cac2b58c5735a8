package sessionfile

import (
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Counts has an agent's names for token counts; "" for a count that the agent does not have.
type Counts struct{ Input, Output, Read, Write string }

// In returns the token counts in an object. A negative count becomes 0.
func (n Counts) In(raw []byte) (u records.TokenUsage) {
	_ = rawjson.Fill(raw, n.Input, rawjson.Count(&u.InputTokens), n.Output, rawjson.Count(&u.OutputTokens),
		n.Read, rawjson.Count(&u.CacheReadTokens), n.Write, rawjson.Count(&u.CacheWriteTokens))
	return u
}

// Usage returns the token counts of an answer; nil if there is no object.
func (n Counts) Usage(raw []byte) *assemble.Usage {
	if rawjson.NewDecoder(raw).Kind() != rawjson.Object {
		return nil
	}
	return &assemble.Usage{TokenUsage: n.In(raw)}
}
