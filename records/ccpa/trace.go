package ccpa

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/records"
)

// Write writes a conversation as a trace, one record on each line.
func Write(w io.Writer, r *records.Record) error {
	var out []byte
	for _, line := range lines(r) {
		out = append(append(out, line...), '\n')
	}
	if _, err := w.Write(out); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}

// lines returns the lines that were read, if the record came from a trace; otherwise it makes them from the
// conversation.
func lines(r *records.Record) [][]byte {
	var kept layout
	raw, found := r.Metadata[Name]
	if !found || json.Unmarshal(raw, &kept) != nil || len(kept.Lines) == 0 {
		return made(r)
	}
	var out [][]byte
	for i := range kept.Lines {
		line := kept.line(r, &kept.Lines[i])
		if line == nil {
			return made(r) // the record was changed
		}
		out = append(out, line)
	}
	return out
}

// line returns a line of a trace that was read; nil if the record no longer contains it.
func (l *layout) line(r *records.Record, p *place) []byte {
	turn := -1
	if p.Turn != nil {
		turn = *p.Turn
	}
	switch {
	case len(p.Line) > 0:
		return p.Line
	case p.Text != "":
		return []byte(p.Text)
	case p.Call != "":
		for i := range r.Steps {
			for _, o := range r.Steps[i].Observations {
				if o.SourceCallID == p.Call {
					return toolResult(l.VFirst, turn, p.Call, o.Error == nil, records.Value(o.Content), p.SideEffects)
				}
			}
		}
	case p.Step < 1 || p.Step > len(r.Steps):
	case r.Steps[p.Step-1].Role == records.RoleUser:
		return userPrompt(l.VFirst, turn, records.Value(r.Steps[p.Step-1].Content))
	default:
		return assistantTurn(l.VFirst, turn, blocks(&r.Steps[p.Step-1]), p.Stop)
	}
	return nil
}

// blocks returns the parts of an answer in their usual order.
func blocks(s *records.Step) []block {
	var out []block
	if s.ReasoningContent != nil {
		out = append(out, block{kind: "thinking", text: *s.ReasoningContent})
	}
	if s.Content != nil {
		out = append(out, block{kind: "text", text: *s.Content})
	}
	for _, call := range s.ToolCalls {
		out = append(out, block{kind: "tool_use", id: call.ToolCallID, name: call.ToolName, input: compacted(call.Input)})
	}
	if len(out) == 0 {
		out = append(out, block{kind: "text"})
	}
	return out
}

// `made` returns the lines of a trace that it makes from a conversation.
func made(r *records.Record) [][]byte {
	m := maker{skills: skillsAfter(r), hooks: hooksAfter(r), stops: r.Stops(), last: records.UsualStop(0)}
	m.line(sessionStart(r))
	m.ran(0, isAny)
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Role == records.RoleSystem || s.CallType != nil && *s.CallType != records.CallMain {
			continue
		}
		m.step(s)
	}
	m.line(ending(r, max(m.turn-1, 0), m.last))
	return m.out
}

// maker makes the lines of a trace.
type maker struct {
	out    [][]byte
	turn   int
	last   string // the reason why the last answer ended
	skills map[int][]string
	hooks  map[int][]records.HookRun
	stops  map[int]string
}

func (m *maker) line(line []byte) { m.out = append(m.out, line) }

// step writes a step: its messages, then the hooks before its calls, the results, and the hooks after them.
func (m *maker) step(s *records.Step) {
	if s.Role == records.RoleUser {
		m.line(userPrompt(false, m.turn, records.Value(s.Content)))
	} else {
		m.turn = max(m.turn, 1)
		m.last = stopOf(s, m.stops)
		m.line(assistantTurn(false, m.turn, blocks(s), m.last))
	}
	for _, name := range m.skills[s.StepIndex] {
		o := begin(SkillInvocation, false, m.turn)
		o.Text("name", name)
		o.Text("source", "auto_matched")
		o.Flag("instructions_injected", true)
		m.line(o.End())
	}
	m.ran(s.StepIndex, isBefore)
	if results := answered(s); len(results) > 0 {
		m.turn++
		for _, result := range results {
			m.line(toolResult(false, m.turn, result.SourceCallID, result.Error == nil, records.Value(result.Content),
				exitCode(result.Error)))
		}
	}
	m.ran(s.StepIndex, isAfter)
	m.turn++
}

// `ran` writes the hooks that ran after a step, for the wanted events.
func (m *maker) ran(step int, wanted func(event string) bool) {
	for _, run := range m.hooks[step] {
		if wanted(run.Event) {
			m.line(hookEvent(m.turn, run))
		}
	}
}

func isAny(string) bool { return true }

// isBefore reports whether hooks of an event run before a call.
func isBefore(event string) bool { return event == "PreToolUse" || event == "PermissionRequest" }

func isAfter(event string) bool { return !isBefore(event) }

// sessionStart returns the first line of a trace.
func sessionStart(r *records.Record) []byte {
	o := begin(SessionStart, false, -1)
	o.Text("session_id", r.SessionID)
	o.Text("ts", records.Value(r.TimestampStart))
	o.Text("actor", r.Agent.Name)
	_, model, named := strings.Cut(records.Value(r.Agent.Model), "/")
	if !named {
		model = records.Value(r.Agent.Model)
	}
	o.Text("model", model)
	o.Text("cwd_sha256", placeHash(r))
	return o.End()
}

// `answered` returns the results that the session file has, one for each call. The format cannot express other results.
func answered(s *records.Step) []records.Observation {
	open := map[string]bool{}
	for i := range s.ToolCalls {
		open[s.ToolCalls[i].ToolCallID] = true
	}
	return slices.DeleteFunc(slices.Clone(s.Observations), func(o records.Observation) bool {
		ours := open[o.SourceCallID]
		delete(open, o.SourceCallID)
		return !ours || o.Error != nil && *o.Error == records.ErrorNoResult && o.Content == nil
	})
}

func exitCode(failure *string) json.RawMessage {
	code, found := strings.CutPrefix(records.Value(failure), "exit_code:")
	if _, err := strconv.Atoi(code); !found || err != nil {
		return nil
	}
	return json.RawMessage(`{"exit_code":` + code + `}`)
}

func ending(r *records.Record, turn int, last string) []byte {
	o := begin(SessionEnd, false, turn)
	stop := last
	if state := r.Outcome.TerminalState; state != nil && *state == records.Failed {
		stop = "error"
	}
	o.Text("stop_reason", stop)
	elapsed := int64(0)
	if d := r.Metrics.TotalDurationS; d != nil {
		elapsed = int64(float64(*d)*1000 + 0.5)
	}
	o.Number("elapsed_ms", elapsed)
	o.Number("tokens_in", r.Metrics.TotalInputTokens+r.Metrics.TotalCacheReadTokens+r.Metrics.TotalCacheCreationTokens)
	o.Number("tokens_out", r.Metrics.TotalOutputTokens)
	return o.End()
}

// placeHash identifies the place of the conversation: the SHA-256 of the remote and the first commit, each followed by
// a line feed; if both are unknown, of the session id.
func placeHash(r *records.Record) string {
	base := records.Value(r.Task.BaseCommit)
	if base == "" {
		base = records.Value(r.Environment.VCS.BaseCommit)
	}
	place := records.Value(r.Task.RepositoryURL) + "\n" + base + "\n"
	if place == "\n\n" {
		place = r.SessionID + "\n"
	}
	sum := sha256.Sum256([]byte(place))
	return hex.EncodeToString(sum[:])
}

// skillsAfter returns the names of the used skills by step.
func skillsAfter(r *records.Record) map[int][]string {
	out := map[int][]string{}
	for _, one := range r.Skills() {
		out[one.Step] = append(out[one.Step], one.Name)
	}
	return out
}
