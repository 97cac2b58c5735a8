package claudecode

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// `keep` stores the registers for a cursor.
func (ch *chain) keep() {
	if raw, err := json.Marshal(ch.reg); err == nil {
		ch.c.Remember(raw)
	}
}

// bookkeeping lists the kinds of lines with the client's own data. Each release adds some. A kind that is not listed is
// skipped too, but counted as unknown.
var bookkeeping = []string{
	"agent-color", "agent-name", "agent-setting", "agent_metadata", "api-request", "api-request-blob", "atis-latch",
	"attribution-snapshot", "bridge-session", "content-replacement", "derived-from", "file-history-snapshot",
	"history-suppression", "last-prompt", "marble-origami-commit", "mode", "queue-operation",
	"relocated", "speculation-accept", "tag", "task-summary", "tools-used", "worktree-state",
}

// remark handles a line about the session as a whole.
func (s *session) remark(ch *chain, e *entry) {
	switch e.kind {
	case "summary", "custom-title", "ai-title":
		ch.title(e)
	case "permission-mode":
		mode := e.title
		ch.c.Change(func(h *assemble.Head) { h.SetMeta("permission_mode", mode) })
	case "pr-link":
		ch.pullRequest(e)
	case "cost-state":
		d := rawjson.NewDecoder(e.cost)
		if cost := d.Float(); cost > 0 {
			ch.c.Change(func(h *assemble.Head) { h.SetMeta(records.MetaClientCost, records.Float(cost)) })
		}
	case "api-request-shape":
		ch.shape(e.shape)
	case "result":
		ch.outcome(e)
	case "opentraces_hook":
		ch.openTraces(e)
		return
	default:
		ch.skipKind("", e.kind)
		return
	}
	ch.c.Take()
}

// skipKind counts a line with the client's own data.
func (ch *chain) skipKind(prefix, kind string) {
	if !slices.Contains(bookkeeping, kind) && prefix == "" {
		kind = "unknown"
	}
	ch.c.Skip(prefix + kind)
}

// mostSummaries limits the number of summaries whose last line was not read yet.
const mostSummaries = 100

// title keeps the best title of the conversation: the user's title is preferred to a model's. A summary may belong to
// another conversation: it names the last line of its conversation, which may come later in the file.
func (ch *chain) title(e *entry) {
	title := e.title
	if e.kind == "summary" {
		title = rawjson.MemberText(e.raw, "summary")
		leaf := rawjson.MemberText(e.raw, "leafUuid")
		if leaf != "" && !ch.c.Began(leaf) {
			if len(ch.reg.Summaries) < mostSummaries {
				ch.reg.Summaries = append(ch.reg.Summaries, summary{leaf, title})
				ch.keep()
			}
			return
		}
	}
	ch.entitle(title, e.kind)
}

// summary is the title of the conversation that ends with a line.
type summary struct {
	Leaf  string `json:"leaf"`
	Title string `json:"title"`
}

// `summed` uses the summary that waits for a line.
func (ch *chain) summed(line string) {
	for _, s := range ch.reg.Summaries {
		if s.Leaf == line {
			ch.entitle(s.Title, "summary")
		}
	}
}

func (ch *chain) entitle(title, kind string) {
	if title = strings.TrimSpace(title); title == "" {
		return
	}
	ch.c.Change(func(h *assemble.Head) {
		if kind == "custom-title" || h.Meta["title_source"] == nil || string(h.Meta["title_source"]) != `"custom-title"` {
			h.SetMeta("title", title)
			h.SetMeta("title_source", kind)
		}
	})
}

func (ch *chain) pullRequest(e *entry) {
	link := map[string]any{"timestamp": e.time}
	d := rawjson.NewDecoder(e.raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "prNumber":
			link["number"] = d.Int()
		case "prUrl":
			link["url"] = d.Text()
		case "prRepository":
			link["repository"] = d.Text()
		}
	}
	ch.c.Append("pull_requests", "after_step", link)
}

// shape sets the system prompt and the tools of the following requests.
func (ch *chain) shape(raw []byte) {
	var prompt []string
	ch.reg.Tools = nil
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "system":
			prompt = texts(d)
		case "tools":
			for d.OpenArray(); d.Element(); {
				definition := cleaned(d.Raw())
				name := memberText(definition, "name")
				if name == "" {
					continue
				}
				ch.reg.Tools = append(ch.reg.Tools, name)
				ch.c.Change(func(h *assemble.Head) { h.AddTool(name, definition) })
			}
		}
	}
	if text := strings.Join(prompt, "\n\n"); text != "" {
		ch.reg.Prompt = ch.c.SystemPrompt(text)
	}
	ch.keep()
}

// outcome handles the last line of a run without a terminal.
func (ch *chain) outcome(e *entry) {
	failed, turns := false, int64(0)
	_ = rawjson.Fill(e.raw, "is_error", &failed, "num_turns", &turns)
	subtype := e.subtype
	ch.c.Change(func(h *assemble.Head) {
		h.Success, h.Source, h.Description = new(!failed), "result_message", subtype
		if turns > 0 {
			h.SetMeta("num_turns", turns)
		}
	})
}

// system handles a line of the client about the conversation.
func (s *session) system(ch *chain, e *entry) error {
	switch e.subtype {
	case "compact_boundary":
		ch.compaction(e)
	case "api_error":
		ch.c.Append("api_errors", "after_step", map[string]any{"timestamp": e.time})
	case "stop_hook_summary":
		ch.hookSummary(e)
	case "local_command":
		if ch.command != nil {
			if err := ch.resolve(commandBuiltIn); err != nil {
				return err
			}
		}
		ch.skipKind("system:", e.subtype)
		return nil
	default:
		ch.skipKind("system:", sessionfile.Known(e.subtype))
		return nil
	}
	ch.c.Take()
	return nil
}

// compaction records a point at which the model lost its history.
func (ch *chain) compaction(e *entry) {
	value := map[string]any{"timestamp": e.time}
	d := rawjson.NewDecoder(e.compact)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "trigger":
			value["trigger"] = d.Text()
		case "preTokens":
			value["tokens_before"] = d.Int()
		case "postTokens":
			value["tokens_after"] = d.Int()
		}
	}
	ch.c.Append("compactions", "after_step", value)
}

// memberText returns a member of an object if it is a string, otherwise "".
func memberText(raw []byte, name string) string { return rawjson.MemberText(raw, name) }
