package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/numbers"
	"github.com/git-trace/git-trace/refs"
)

// ignoreAgentKey is the configuration key, as often as is wanted, for agents that the user has and does not want to
// trace: init leaves them out unless they are named, and status does not mention them.
const ignoreAgentKey = "trace.ignoreAgent"

// ignoredAgents are those that the key names; it is an error for a name that no agent has.
func ignoredAgents(ctx context.Context, repo *refs.Repo, env capability.Env) ([]string, error) {
	config, err := repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	names, known := config.All(ignoreAgentKey), installable(env)
	for _, name := range names {
		if !slices.Contains(known, name) {
			return names, &failure{
				code: exitGit, err: fmt.Errorf("%s: unknown agent '%s'", ignoreAgentKey, name),
				hint: "known are: " + strings.Join(known, ", "),
			}
		}
	}
	return names, nil
}

// untracedFindings names agents that are on this machine and not traced, where others are: what they write counts as a
// person's.
func (h *health) untracedFindings(ctx context.Context, all []agentHealth) []finding {
	var out []finding
	ignored, err := ignoredAgents(ctx, h.repo, h.env)
	if err != nil {
		_, hint := classify(err)
		out = append(out, finding{What: err.Error(), Mend: hint})
	}
	traced := false
	var names []string
	for i := range all {
		traced = traced || all[i].Traced
		if !all[i].touched() && all[i].agent.Found(h.env) && !slices.Contains(ignored, all[i].Name) {
			names = append(names, all[i].Name)
		}
	}
	if n := len(names); traced && n > 0 {
		out = append(out, finding{
			What: fmt.Sprintf("%s %s on this machine and not traced: %s lines count as a person's",
				strings.Join(names, ", "), numbers.Agree(n, "is", "are"), numbers.Agree(n, "its", "their")),
			Mend: "git trace init --agent " + strings.Join(names, " --agent ") +
				" (" + ignoreAgentKey + " leaves an agent out for good)",
		})
	}
	return out
}
