package facts

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
)

// files returns the lines of the conversation in a commit; nil if git does not answer.
func (g *gathering) files(revision string) ([]recorder.FileFacts, error) {
	if _, err := g.track(); err != nil {
		return nil, err
	}
	var paths []string
	for _, a := range g.held {
		paths = append(paths, a.Path)
	}
	for _, p := range g.story.patches {
		paths = append(paths, events.RawPath(p.Path))
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	if len(paths) > mostRecordFiles {
		return nil, nil
	}
	out := []recorder.FileFacts{}
	for _, path := range paths {
		content, there := g.contentOf(revision + ":" + path)
		var lines []recorder.LineFacts
		if there {
			q := blame.At(revision, path)
			q.History = g.history
			list, err := blame.Asked(g.ctx, g.repo, q, g.known.Owners())
			var refused *gitblame.Failure
			switch {
			case errors.As(err, &refused):
				continue
			case err != nil:
				return nil, err
			}
			if lines, err = g.written(list); err != nil {
				return nil, err
			}
		}
		lines = append(lines, g.deleted(path, content)...)
		if len(lines) > 0 {
			out = append(out, recorder.FileFacts{Path: strings.ToValidUTF8(path, "\ufffd"), Lines: lines})
		}
	}
	return out, nil
}

// contentOf returns the lines of a blob, which may belong to a snapshot.
func (g *gathering) contentOf(rev string) (lines [][]byte, there bool) {
	id, kind, err := g.objects.Resolve(rev)
	if err != nil || kind != refs.BlobObject {
		return nil, false
	}
	return g.blobLines(id)
}

func (g *gathering) blobLines(id refs.OID) (lines [][]byte, there bool) {
	raw, err := g.objects.Blob(id)
	if err != nil {
		return nil, false
	}
	return linediff.Split(raw), true
}

// `written` returns the conversation's lines of a file, and the lines with which a person replaced them.
func (g *gathering) written(list []blame.Annotated) ([]recorder.LineFacts, error) {
	var out []recorder.LineFacts
	var texts []string
	var last blame.Attribution
	for i := range list {
		who := list[i].Owner
		wrote, err := g.author(who)
		if err != nil {
			return nil, err
		}
		if wrote == nil {
			last = blame.Attribution{}
			continue
		}
		text := strings.TrimSuffix(string(list[i].Content), "\r")
		if n := len(out) - 1; n >= 0 && out[n].Range.EndLine == i && sameAuthor(&last, who) {
			texts = append(texts, text)
			out[n].Range.EndLine = i + 1
		} else {
			texts = []string{text}
			wrote.Range.StartLine, wrote.Range.EndLine = i+1, i+1
			out = append(out, *wrote)
		}
		out[len(out)-1].Range.ContentHash = new(records.JoinedHash(texts))
		last = *who
	}
	return out, nil
}

func sameAuthor(a, b *blame.Attribution) bool {
	return a.Kind == b.Kind && a.Patch == b.Patch && a.Previous == b.Previous && a.ToolCall == b.ToolCall &&
		a.Step == b.Step && a.PromptIndex == b.PromptIndex && a.Evidence == b.Evidence && a.Confidence == b.Confidence
}

// author returns the call that wrote a line, without the line's place; nil for a line that is not the conversation's.
func (g *gathering) author(who *blame.Attribution) (*recorder.LineFacts, error) {
	id := who.Patch
	switch {
	case who.Kind == events.OwnerHuman && who.Previous != "":
		id = who.Previous
	case who.Trace != g.trace || !who.ByAI():
		return nil, nil
	}
	out := &recorder.LineFacts{Kind: who.Kind, Call: who.ToolCall, Step: who.Step, Prompt: who.PromptIndex,
		Model: who.Model}
	out.Range.ChangeType = records.Addition
	if sure := records.Confidence(who.Confidence); sure != "" {
		out.Range.Confidence = &sure
	}
	if id == "" {
		return out, nil
	}
	e, found, err := g.known.Log().Patch(id)
	if err != nil {
		return nil, err
	}
	if who.Kind == events.OwnerHuman && (!found || e.Trace != g.trace) {
		return nil, nil
	}
	if !found {
		return out, nil
	}
	d := events.DataOf[events.PatchData](e)
	out.Call, out.Prompt = cmp.Or(out.Call, e.ToolCall), cmp.Or(out.Prompt, d.Prompt)
	out.Model = cmp.Or(out.Model, d.Model)
	kept := 0
	for _, run := range d.Kept {
		kept += run.Count
	}
	if d.OldCount > kept {
		out.Range.ChangeType = records.Modification
	}
	if who.Kind == events.OwnerHuman || who.Evidence == "reformatted" {
		out.Range.Original = g.original(d.After, d.NewStart, d.NewCount)
	}
	return out, nil
}

// `original` returns the agent's text: lines of a content, and their hash while the content is kept.
func (g *gathering) original(content refs.OID, start, count int) map[string]json.RawMessage {
	if start < 1 || count < 1 {
		return nil
	}
	out := map[string]json.RawMessage{}
	set := func(name string, value any) {
		if raw, err := json.Marshal(value); err == nil {
			out[name] = raw
		}
	}
	set("start_line", start)
	set("end_line", start+count-1)
	if lines, there := g.blobLines(content); there && start-1+count <= len(lines) {
		texts := make([]string, count)
		for i := range texts {
			texts[i] = strings.TrimSuffix(strings.TrimSuffix(string(lines[start-1+i]), "\n"), "\r")
		}
		set("content_hash", records.JoinedHash(texts))
	}
	return out
}

// `deleted` returns the lines of others that the conversation removed from a file and that the commit does not have.
// Each range gives the line of the commit's file after which they were, or line 1.
func (g *gathering) deleted(path string, now [][]byte) []recorder.LineFacts {
	var out []recorder.LineFacts
	for _, r := range g.removals {
		if r.path != path {
			continue
		}
		at, gone := r.gone(now)
		if !gone {
			continue
		}
		d := r.patch
		out = append(out, recorder.LineFacts{
			Kind: events.OwnerAI, Call: g.story.calls[d.Patch], Prompt: d.Prompt, Model: d.Model,
			Range: records.AttributedRange{
				StartLine: at, EndLine: at, ChangeType: records.Deletion, Confidence: new(records.Medium),
				Original: g.original(d.Before, d.OldStart, d.OldCount),
			},
		})
	}
	return out
}

// removal is a change that only removed lines of others.
type removal struct {
	path   string
	patch  *events.PatchData
	before [][]byte // the content before the removal
}

// findRemovals lists the removals of the conversation whose contents are kept.
func (g *gathering) findRemovals() []removal {
	var out []removal
	for i := range g.story.patches {
		d := &g.story.patches[i]
		if d.NewCount > 0 || d.OldCount == 0 || g.own(d.Previous) {
			continue
		}
		if before, there := g.blobLines(d.Before); there {
			out = append(out, removal{events.RawPath(d.Path), d, before})
		}
	}
	return out
}

// `gone` reports whether the lines are also missing in a later content of the file, and returns the line after which
// they were.
func (r removal) gone(now [][]byte) (at int, gone bool) {
	first, end := r.patch.OldStart-1, r.patch.OldStart-1+r.patch.OldCount
	for _, hunk := range linediff.Diff(r.before, now, linediff.Options{}).Hunks {
		if hunk.OldStart <= first && hunk.OldStart+hunk.OldCount >= end {
			return max(hunk.NewStart, 1), true
		}
	}
	return 0, false
}

// `own` reports whether one of some patches is the conversation's.
func (g *gathering) own(list []events.PatchID) bool {
	return slices.ContainsFunc(list, func(id events.PatchID) bool { return g.story.calls[id] != "" })
}
