package view

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/pathglob"
)

// Facets describe calls. All of them must be true of the same call. Names are patterns of path.Match, and case does not
// matter. The zero value matches every call.
type Facets struct {
	Tool     string
	Skill    string
	File     string // a pattern of paths, as in gitignore(5)
	Model    string
	Failed   bool // the call ended with an error
	Test     bool // the call ran tests
	Survived bool // a commit has its lines
	Since    time.Time
}

// Given reports whether any facet is set.
func (f *Facets) Given() bool { return *f != Facets{} }

// FoundCall is a call that matches the facets.
type FoundCall struct {
	*Call
	Text string // the input of the call, in words; "" without a record
}

// mostFoundCalls is the number of shown calls of a conversation.
const mostFoundCalls = 3

// `faceted` keeps the conversations with a call that matches the facets, with their calls as hits. Calls in steps that
// contain the words come first.
func (r *Reader) faceted(ctx context.Context, list []Result, f *Facets) ([]Result, error) {
	var out []Result
	for _, one := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !f.Since.IsZero() && one.Last.Before(f.Since) {
			continue
		}
		calls, err := r.callsWith(ctx, one.Trace, f)
		if err != nil {
			return nil, err
		}
		if len(calls) == 0 {
			continue
		}
		said := map[int]bool{}
		for _, h := range one.Hits {
			said[h.Step] = h.Step > 0
		}
		slices.SortStableFunc(calls, func(a, b FoundCall) int {
			switch {
			case said[a.Step] == said[b.Step]:
				return 0
			case said[a.Step]:
				return -1
			}
			return 1
		})
		one.Hits = one.Hits[:0:0]
		for _, c := range calls[:min(len(calls), mostFoundCalls)] {
			one.Hits = append(one.Hits, search.Hit{Step: c.Step, PromptIndex: c.Prompt, Call: c.ToolCall, Tool: c.Tool,
				Text: c.Text})
		}
		out = append(out, one)
	}
	return out, nil
}

// callsWith lists the calls of a conversation that match the facets.
func (r *Reader) callsWith(ctx context.Context, id events.TraceID, f *Facets) ([]FoundCall, error) {
	stored, err := r.Record(ctx, id)
	if err != nil {
		return nil, err
	}
	talk, err := r.Talk(id, stored.Record)
	if err != nil {
		return nil, err
	}
	var reached map[refs.OID]bool
	if f.Survived {
		if reached, err = r.reachedOf(ctx, &talk); err != nil {
			return nil, err
		}
	}
	var out []FoundCall
	for i := range talk.Turns {
		for k := range talk.Turns[i].Calls {
			c := &talk.Turns[i].Calls[k]
			call, result := recordedCall(stored.Record, c)
			if r.describes(f, c, call, result) && (!f.Survived || survives(c, reached)) {
				out = append(out, FoundCall{c, asked(c, call)})
			}
		}
	}
	return out, nil
}

// `survives` reports whether a ref leads to a commit with lines of a call.
func survives(c *Call, reached map[refs.OID]bool) bool {
	return slices.ContainsFunc(c.Commits, func(held CommitLines) bool { return reached[held.Commit] })
}

// reachedOf is Reached for the commits with lines of any call.
func (r *Reader) reachedOf(ctx context.Context, talk *Talk) (map[refs.OID]bool, error) {
	var commits []refs.OID
	for i := range talk.Turns {
		for k := range talk.Turns[i].Calls {
			for _, held := range talk.Turns[i].Calls[k].Commits {
				commits = append(commits, held.Commit)
			}
		}
	}
	return r.Reached(ctx, commits)
}

// recordedCall returns a call in its record, and its result; nil where there is none.
func recordedCall(record *records.Record, c *Call) (*records.ToolCall, *records.Observation) {
	if record == nil || c.Step < 1 || c.Step > len(record.Steps) {
		return nil, nil
	}
	step := &record.Steps[c.Step-1]
	at := slices.IndexFunc(step.ToolCalls, func(one records.ToolCall) bool { return one.ToolCallID == c.ToolCall })
	if at < 0 {
		return nil, nil
	}
	return &step.ToolCalls[at], step.Result(c.ToolCall)
}

// `describes` reports whether a call matches all facets.
func (r *Reader) describes(f *Facets, c *Call, call *records.ToolCall, result *records.Observation) bool {
	var input json.RawMessage
	if call != nil {
		input = call.Input
	}
	switch {
	case f.Tool != "" && !named(f.Tool, c.Tool):
	case f.Skill != "" && !named(f.Skill, skillOf(c.Tool, input)):
	case f.Model != "" && !named(f.Model, ModelName(c.Model)) && !named(f.Model, c.Model):
	case f.Failed && !failed(c, result):
	case f.Test && TestCommand(input) == "":
	case !f.Since.IsZero() && c.Opened != nil && c.Opened.Before(f.Since):
	case f.File != "" && !r.touches(c, f.File):
	default:
		return true
	}
	return false
}

// `touches` reports whether a call declared or changed a file that a pattern matches.
func (r *Reader) touches(c *Call, pattern string) bool {
	matches := func(name string) bool { return pathglob.Match(pattern, strings.TrimPrefix(name, "/")) }
	return slices.ContainsFunc(c.Paths, func(p string) bool { return matches(r.Inside(p)) }) ||
		slices.ContainsFunc(c.Files, func(change FileChange) bool { return matches(change.Path) }) ||
		slices.ContainsFunc(c.Held, func(change FileChange) bool { return matches(change.Path) })
}

// `failed` reports whether a call ended with an error; false for a call that never ran.
func failed(c *Call, result *records.Observation) bool {
	if result != nil {
		switch records.Value(result.Error) {
		case "", records.ErrorRejected, records.ErrorNoResult, records.ErrorInterrupted:
		default:
			return true
		}
	}
	return c.Status == "failed"
}

// `named` compares a name with a pattern. Case does not matter.
func named(pattern, name string) bool {
	return name != "" && pathglob.MatchName(strings.ToLower(pattern), strings.ToLower(name))
}

// skillOf returns the skill that a call started, "" for none.
func skillOf(tool string, input json.RawMessage) string {
	switch strings.ToLower(tool) {
	case "skill", "use_skill", "slashcommand":
	default:
		return ""
	}
	for _, name := range []string{"skill", "skill_name", "name", "command"} {
		if text := rawjson.MemberText(input, name); text != "" {
			first, _, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
			return first
		}
	}
	return ""
}

// `asked` returns the input of a call in one line.
func asked(c *Call, call *records.ToolCall) string {
	text := ""
	if call != nil {
		text, _ = MainArgument(call.Input)
	}
	if text == "" && len(c.Paths) > 0 {
		text = c.Paths[0]
	}
	const most = 300
	text = strings.Join(strings.Fields(text), " ")
	for len(text) > most {
		_, size := utf8.DecodeLastRuneInString(text[:most])
		text = text[:most-min(size, 1)]
	}
	return strings.ToValidUTF8(text, "")
}
