package capsule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// Errors of a conversation that cannot become a capsule.
var (
	ErrNoRecord = errors.New("its texts are in no record")
	ErrBlocked  = errors.New("much of its session file could not be read")
	ErrNoPrompt = errors.New("there is no such prompt")
)

// Maker makes capsules.
type Maker struct {
	Repo     *refs.Repo
	Reader   *view.Reader
	Redactor *redact.Redactor
}

// Make makes the capsule of a prompt; of the whole conversation if prompt is 0.
func (m *Maker) Make(ctx context.Context, of *view.Conversation, prompt int) (*Capsule, error) {
	stored, err := m.Reader.Record(ctx, of.Trace)
	switch {
	case err != nil:
		return nil, err
	case stored.Record == nil:
		return nil, ErrNoRecord
	case stored.Blocked():
		return nil, ErrBlocked
	}
	c := &Capsule{Schema: Schema, Trace: of.Trace, FirstStep: 1, Files: []File{}, Left: []Left{}}
	whole := *stored.Record
	if prompt > 0 {
		from, until := episode(&whole, prompt)
		if from == 0 {
			return nil, ErrNoPrompt
		}
		c.Prompt, c.FirstStep = &prompt, from
		whole.Steps = whole.Steps[from-1 : until-1]
		whole.Task.Description = whole.Steps[0].Content
	}
	if err := m.words(ctx, c, &whole); err != nil {
		return nil, err
	}
	return c, m.files(ctx, c, prompt)
}

// episode returns the first step of a prompt, and the step after its last one. The result `from` is 0 if the record has
// no such prompt.
func episode(r *records.Record, prompt int) (from, until int) {
	steps := recorder.PromptSteps(r)
	from, until = steps[prompt], len(r.Steps)+1
	for _, step := range steps {
		if step > from {
			until = min(until, step)
		}
	}
	return from, until
}

// words takes the steps of the episode, without facts about the rest of the conversation.
func (m *Maker) words(ctx context.Context, c *Capsule, whole *records.Record) error {
	part := &records.Record{
		SchemaVersion: records.SchemaVersion, TraceID: whole.TraceID, SessionID: whole.SessionID, Agent: whole.Agent,
		TimestampStart: whole.TimestampStart, TimestampEnd: whole.TimestampEnd, Lifecycle: records.Provisional,
		Outcome: records.Outcome{SignalConfidence: records.SignalInferred, SignalSource: records.SourceDeterministic},
		Task:    records.Task{Description: whole.Task.Description}, SystemPrompts: map[string]string{},
		Metrics: records.Metrics{TotalSteps: len(whole.Steps)},
	}
	for i := range whole.Steps {
		step := whole.Steps[i]
		step.StepIndex, step.SystemPromptHash = i+1, nil
		if step.ParentStep != nil {
			parent := *step.ParentStep - c.FirstStep + 1
			if step.ParentStep = &parent; parent < 1 {
				step.ParentStep = nil
			}
		}
		part.Steps = append(part.Steps, step)
		part.Metrics.TotalInputTokens += step.TokenUsage.InputTokens
		part.Metrics.TotalOutputTokens += step.TokenUsage.OutputTokens
		part.Metrics.TotalCacheReadTokens += step.TokenUsage.CacheReadTokens
		part.Metrics.TotalCacheCreationTokens += step.TokenUsage.CacheWriteTokens
		c.tested(&step)
	}
	clean, err := m.Redactor.Record(ctx, part)
	if err != nil {
		return err
	}
	defer func() { _ = clean.Close() }()
	var out bytes.Buffer
	if err := clean.Write(&out); err != nil {
		return err
	}
	c.Record, c.Redacted = out.Bytes(), clean.Head().Security.RedactionsApplied
	if c.Test == nil {
		return nil
	}
	was := c.Test.Command
	if err := m.text(ctx, c, &c.Test.Command); err != nil || c.Test.Command != was {
		c.Test = nil // redaction changed the command, so another command would run
	}
	return err
}

// `tested` notes the last command that ran tests; one that passed is preferred.
func (c *Capsule) tested(s *records.Step) {
	for i := range s.ToolCalls {
		call := &s.ToolCalls[i]
		command := view.TestCommand(call.Input)
		result := s.Result(call.ToolCallID)
		if command == "" || len(command) > mostCommand || result == nil {
			continue
		}
		if passed := result.Error == nil; passed || c.Test == nil || !c.Test.Passed {
			c.Test = &Test{command, s.StepIndex, passed}
		}
	}
}

// text redacts a text.
func (m *Maker) text(ctx context.Context, c *Capsule, text *string) error {
	clean, n, err := m.Redactor.Text(ctx, *text)
	*text, c.Redacted = clean, c.Redacted+n
	return err
}

// files reads the touched files from the snapshots before and after the episode.
func (m *Maker) files(ctx context.Context, c *Capsule, prompt int) error {
	first, last := max(prompt, 1), prompt
	paths, until, err := m.Reader.Touched(c.Trace, prompt)
	if err != nil {
		return err
	}
	if last == 0 {
		last = max(until, 1)
	}
	before, err := m.Reader.Moment(ctx, view.Place{Trace: c.Trace, Prompt: first}, false)
	var after view.Moment
	if err == nil {
		after, err = m.Reader.Moment(ctx, view.Place{Trace: c.Trace, Prompt: last}, true)
	}
	objects := m.Repo.Objects()
	defer func() { _ = objects.Close() }()
	for _, tree := range []refs.OID{before.Tree, after.Tree} {
		if err == nil {
			_, err = objects.Tree(tree)
		}
	}
	if why := withoutFiles(err); why != "" {
		for _, path := range paths {
			c.leave(path, why)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if !before.Head.IsZero() {
		id := before.Head.String()
		c.Commit = &id
	}
	for _, path := range paths {
		if err := m.file(ctx, c, objects, path, before.Tree, after.Tree); err != nil {
			return err
		}
	}
	return nil
}

// withoutFiles returns the reason why there are no snapshots; "" for any other error, and for nil.
func withoutFiles(err error) string {
	switch {
	case errors.Is(err, view.ErrNoMoment):
		return err.Error()
	case errors.Is(err, refs.ErrMissing):
		return "its snapshot is not kept any more"
	}
	return ""
}

func (c *Capsule) leave(path, why string) {
	c.Left = append(c.Left, Left{strings.ToValidUTF8(path, "\ufffd"), why})
}

// file adds a file from the trees before and after.
func (m *Maker) file(
	ctx context.Context, c *Capsule, objects *refs.Objects, path string, before, after refs.OID,
) error {
	f := File{Path: path}
	name := path
	if err := m.text(ctx, c, &name); err != nil {
		return err
	}
	switch {
	case name != path:
		c.leave(name, "its name must not leave")
		return nil
	case !plain(path):
		c.leave(path, "its name is not one of a file on every system")
		return nil
	case len(c.Files) >= mostFiles:
		c.leave(path, fmt.Sprintf("there are more than %d files", mostFiles))
		return nil
	}
	for _, side := range []struct {
		tree refs.OID
		into **string
	}{{before, &f.Before}, {after, &f.After}} {
		entry, err := objects.EntryAt(side.tree, path)
		if err != nil {
			return err
		}
		if entry.OID.IsZero() {
			continue
		}
		text, why, err := content(objects, entry)
		if err != nil {
			return err
		}
		if why != "" {
			c.leave(path, why)
			return nil
		}
		f.Executable = entry.Mode == refs.ModeExec
		was := text
		if err := m.text(ctx, c, &text); err != nil {
			return err
		}
		f.Redacted = f.Redacted || text != was
		*side.into = &text
	}
	if f.Before != nil || f.After != nil {
		c.Files = append(c.Files, f)
	}
	return nil
}

// content returns a text, or the reason (why) for leaving it out.
func content(objects *refs.Objects, entry refs.TreeEntry) (text, why string, err error) {
	if !slices.Contains([]uint32{refs.ModeFile, refs.ModeExec}, entry.Mode) {
		return "", "it is not a plain file", nil
	}
	raw, err := objects.Blob(entry.OID)
	switch {
	case errors.Is(err, refs.ErrTooLarge) || len(raw) > mostFile:
		return "", fmt.Sprintf("it is larger than %d MiB", mostFile>>20), nil
	case err != nil:
		return "", "", err
	case !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0:
		return "", "it is not a text, which cannot be redacted", nil
	}
	return string(raw), "", nil
}
