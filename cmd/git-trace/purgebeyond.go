package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/upkeep/purge"
)

// Data that a purge cannot reach is not a finding, because nobody can change that. It is described as exactly as
// possible.

// mostFiles is the number of session files that are listed.
const mostFiles = 5

// sayBeyond lists copies outside git-trace's store.
func (a *app) sayBeyond(p *purge.Purge) {
	hint := func(format string, args ...any) {
		fmt.Fprintf(a.std.err, "git-trace: hint: %s\n", cells.Message(fmt.Sprintf(format, args...)))
	}
	who := "what was pushed"
	if names := a.remotesOf(p); len(names) > 0 {
		who += " to " + strings.Join(names, ", ")
	}
	hint("%s, or fetched by others, stays there, as does data in other clones on this machine: change "+
		"a secret that left", who)
	files := a.sessionFiles(p)
	for _, file := range files[:min(len(files), mostFiles)] {
		hint("the agent's own session file still holds it: %s", file)
	}
	if n := len(files) - mostFiles; n > 0 {
		hint("%s more hold it too", numbers.Count(n, "session file"))
	}
	hint("the agents' own files and your commits are not touched")
}

func (a *app) remotesOf(p *purge.Purge) []string {
	out, err := p.Repo.Git(a.life, nil, "remote")
	if err != nil {
		return nil
	}
	return strings.Fields(string(out))
}

// sessionFiles lists the session files of the changed conversations that still contain the text.
func (a *app) sessionFiles(p *purge.Purge) []string {
	env, err := companion.Env()
	if err != nil {
		return nil
	}
	known, err := a.openConversations(a.life, p.Repo)
	if err != nil {
		return nil
	}
	defer known.Close()
	var out []string
	for _, trace := range p.Touched() {
		t, found, err := known.Conversation(trace)
		if err != nil || !found {
			continue
		}
		path, err := recorder.SessionFile(env, waiting.Session{Trace: trace, Agent: t.Agent, Session: t.Session,
			WorkTree: p.Repo.WorkTree})
		if err != nil || slices.Contains(out, path) {
			continue
		}
		held := p.Target.Traces[trace]
		if !held {
			held, err = p.Target.HoldsFile(path)
		}
		if err == nil && held {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}
