package agenttrace

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
)

// ErrNoLines reports a conversation of which no lines are known.
var ErrNoLines = errors.New("no lines of the conversation are known")

// noVersion stands for an unknown version: the checks by the specification's authors require a version.
const noVersion = "unknown"

// FromRecord returns the lines of a conversation as they were at its end. It names a revision only if the record links
// its lines to one.
func FromRecord(r *records.Record) (*Record, error) {
	if r.Attribution == nil || len(r.Attribution.Files) == 0 {
		return nil, ErrNoLines
	}
	stamp := zoned(first(r.TimestampEnd, r.TimestampStart))
	if stamp == "" {
		return nil, fmt.Errorf("%w: the time of the conversation", ErrMissing)
	}
	out := &Record{
		Version: Version, Timestamp: stamp, Files: filesOf(r.Attribution),
		ID:   string(events.NewTraceID(Name, r.TraceID)),
		Tool: &Tool{Name: r.Agent.Name, Version: cmp.Or(first(r.Agent.Version), noVersion)},
	}
	if revision := r.Attribution.Revision["revision"]; revision != "" {
		out.VCS = &VCS{Type: cmp.Or(r.Attribution.Revision["vcs_type"], "git"), Revision: revision}
	}
	return out, out.setConversations(map[string]conversationMeta{r.TraceID: {Agent: r.Agent.Name, Session: r.SessionID}})
}

// `zoned` returns a time in UTC, as the checks by the specification's authors require. Times without a zone, which some
// agents such as Aider write, are treated as UTC.
func zoned(stamp string) string {
	if t, err := time.Parse(time.RFC3339Nano, stamp); err == nil && !strings.HasSuffix(stamp, "Z") {
		return t.UTC().Format(time.RFC3339Nano)
	}
	if t, err := time.Parse("2006-01-02T15:04:05", stamp); err == nil {
		return t.Format(time.RFC3339Nano)
	}
	return stamp
}

func first(texts ...*string) string {
	for _, t := range texts {
		if t != nil && *t != "" {
			return *t
		}
	}
	return ""
}

// Conversation converts the record to a conversation that has only its lines.
func (r *Record) Conversation() *records.Record {
	out := &records.Record{
		SchemaVersion: records.SchemaVersion, TraceID: r.ID, SessionID: r.ID,
		Agent:          records.Agent{Name: "unknown"},
		TimestampStart: &r.Timestamp, TimestampEnd: &r.Timestamp,
		Lifecycle: records.Provisional,
		Outcome:   records.Outcome{SignalSource: records.SourceDeterministic, SignalConfidence: records.SignalInferred},
	}
	if r.Tool != nil && r.Tool.Name != "" {
		out.Agent.Name = r.Tool.Name
		if r.Tool.Version != "" && r.Tool.Version != noVersion {
			out.Agent.Version = &r.Tool.Version
		}
	}
	for trace, meta := range r.conversations() {
		out.TraceID, out.SessionID, out.Agent.Name = trace, meta.Session, meta.Agent
	}
	out.Attribution = &records.Attribution{Files: []records.AttributedFile{}}
	if r.VCS != nil {
		out.Attribution.Revision = map[string]string{"vcs_type": r.VCS.Type, "revision": r.VCS.Revision}
	}
	for _, f := range r.Files {
		file := records.AttributedFile{Path: f.Path}
		for _, c := range f.Conversations {
			file.Conversations = append(file.Conversations, c.attributed())
		}
		out.Attribution.Files = append(out.Attribution.Files, file)
	}
	return out
}

func (c *Conversation) attributed() records.AttributedConversation {
	out := records.AttributedConversation{Contributor: c.Contributor.members()}
	if c.URL != "" {
		out.URL = &c.URL
	}
	for _, one := range c.Related {
		out.Related = append(out.Related, map[string]string{"type": one.Type, "url": one.URL})
	}
	for _, r := range c.Ranges {
		lines := records.AttributedRange{StartLine: r.StartLine, EndLine: r.EndLine, ChangeType: records.Addition}
		if r.ContentHash != "" {
			lines.ContentHash = &r.ContentHash
		}
		if r.Contributor != nil {
			lines.Contributor = r.Contributor.members()
		}
		out.Ranges = append(out.Ranges, lines)
	}
	return out
}

func (c *Contributor) members() map[string]string {
	if c == nil {
		return map[string]string{"type": "unknown"}
	}
	out := map[string]string{"type": c.Type}
	if c.ModelID != "" {
		out["model_id"] = c.ModelID
	}
	return out
}

// traceURL returns the URL of a conversation, or of one of its steps.
func traceURL(trace string, step int) string {
	if step > 0 {
		return fmt.Sprintf("opentraces://%s/step_%d", trace, step)
	}
	return "opentraces://" + trace
}

// traceOf parses a URL made by traceURL.
func traceOf(url string) (trace string, step int, ok bool) {
	rest, found := strings.CutPrefix(url, "opentraces://")
	if !found {
		return "", 0, false
	}
	trace, part, _ := strings.Cut(rest, "/")
	if number, found := strings.CutPrefix(part, "step_"); found {
		if _, err := fmt.Sscanf(number, "%d", &step); err != nil || step < 0 {
			step = 0
		}
	}
	return trace, step, isUUID(trace)
}

func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := range len(text) {
		c := text[i]
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
