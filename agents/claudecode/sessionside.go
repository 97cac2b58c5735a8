package claudecode

import (
	"cmp"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// maxSides limits the number of subagents in the main file.
const maxSides = 1000

// sidechain returns the chain of a subagent whose line an old client wrote into the main file. It returns nil for a
// line of the main conversation. A subagent's first line is its prompt, which is also an argument of the call that
// started it.
func (s *session) sidechain(ch *chain, e *entry) *chain {
	if !e.sidechain || ch.file != "" || len(ch.sides) >= maxSides {
		return nil
	}
	side := ch.roots[e.parent]
	if side == nil && e.agent != "" {
		side = ch.sides[e.agent]
	}
	if side == nil {
		side = ch.newSide(s.starter(ch, e), e.agent, "")
		ch.sides[cmp.Or(e.agent, e.uuid)] = side
	}
	if e.uuid != "" {
		ch.roots[e.uuid] = side
	}
	return side
}

// newSide starts the conversation of a subagent in the main file.
func (ch *chain) newSide(call, id, role string) *chain {
	return &chain{c: ch.c.Side(call, id, role), file: "#" + id, sides: map[string]*chain{}, roots: map[string]*chain{}}
}

// starter returns the call that started a subagent: its prompt equals the subagent's first line.
func (s *session) starter(ch *chain, e *entry) string {
	prompt := ""
	d := rawjson.NewDecoder(e.message)
	for d.Open(); d.Member(); {
		if string(d.Key()) == "content" {
			prompt = promptText(d)
		}
	}
	for _, call := range ch.c.Pending("Task", "Agent") {
		if memberText(call.Input, "prompt") == prompt {
			return call.ID
		}
	}
	return ""
}

// progress handles the output of a running call. Clients from 2.0.70 to 2.1.81 also wrote the lines of subagents in
// this form, in addition to the subagent's file. They count only if that file is missing.
func (s *session) progress(ch *chain, e *entry, at records.Locator) error {
	var kind, agent string
	var message []byte
	_ = rawjson.Fill(e.data, "type", &kind, "agentId", &agent, "message", &message)
	if kind == "hook_progress" && ch.hookLine(e.data, cmp.Or(e.parentCall, e.sourceCall)) {
		ch.c.Take()
		return nil
	}
	if kind != "agent_progress" {
		ch.skipKind("progress:", sessionfile.Known(kind))
		return nil
	}
	if !payload.SessionID(agent) || s.agents.find(agent, "") != nil || len(ch.sides) >= maxSides {
		ch.c.Skip("progress:agent_progress")
		return nil
	}
	side := ch.sides[agent]
	if side == nil {
		side = ch.newSide(e.parentCall, agent, "")
		ch.sides[agent] = side
	}
	var inner entry
	if err := inner.decode(message); err != nil || inner.kind != "user" && inner.kind != "assistant" {
		ch.c.Skip("progress:agent_progress")
		return nil //nolint:nilerr // it is counted
	}
	at.ID = inner.uuid
	return s.turn(side, &inner, at)
}
