package otel

import "slices"

// The limits of agents within agents.
const (
	maxAgents     = 10_000
	maxAgentDepth = 20
)

// scopes maps each span to the agent that it belongs to; nil stands for the main agent of the conversation.
type scopes struct {
	of    map[*span]*span
	above map[*span]*span // the agent that started each agent
	call  map[*span]string
}

// scopesOf finds agents within agents from their spans. It finds none if two instrumentations describe the same agent,
// or if only the inner spans of an agent were recorded.
func scopesOf(list []*span) *scopes {
	c := &scopes{of: map[*span]*span{}, above: map[*span]*span{}, call: map[*span]string{}}
	byID := map[string]*span{}
	for _, s := range list {
		if s.id != "" && byID[s.id] == nil {
			byID[s.id] = s
		}
	}
	around := nearest(list, byID)
	owners := map[*span]*span{}
	for _, s := range list { // the list is sorted by start, so an agent usually comes before the agents within it
		if s.agent() {
			c.owner(s, around, owners, 0)
		}
	}
	for _, s := range list {
		if n := around[s]; n != nil {
			c.of[s] = owners[n]
		}
	}
	for agent := range c.above {
		c.call[agent] = callAround(agent, byID)
	}
	c.promote(list)
	return c
}

// `nearest` returns, for each span, the nearest agent's span around it.
func nearest(list []*span, byID map[string]*span) map[*span]*span {
	around, known := map[*span]*span{}, map[*span]bool{}
	for _, s := range list {
		var path []*span
		var found *span
		for at := s; at != nil; {
			if known[at] {
				found = around[at]
				break
			}
			known[at] = true // also stops at a cycle
			path = append(path, at)
			parent := byID[at.parent]
			if parent != nil && parent.agent() {
				found = parent
				break
			}
			at = parent
		}
		for _, at := range path {
			around[at] = found
		}
	}
	// a path that ended at an agent continues above it
	for _, s := range list {
		if s.agent() && around[s] == s {
			around[s] = nil
		}
	}
	return around
}

// owner returns the agent to which the content of an agent's span belongs.
func (c *scopes) owner(agent *span, around, owners map[*span]*span, depth int) *span {
	if own, done := owners[agent]; done {
		return own
	}
	owners[agent] = nil // stops at a cycle
	outer := around[agent]
	if outer == nil || depth > maxAgentDepth {
		return nil
	}
	above := c.owner(outer, around, owners, depth+1)
	name := agent.agentName()
	if name != "" && name == outer.agentName() || len(c.above) >= maxAgents || c.depth(above) >= maxAgentDepth {
		owners[agent] = above
		return above
	}
	owners[agent], c.above[agent] = agent, above
	return agent
}

func (c *scopes) depth(agent *span) (n int) {
	for ; agent != nil; agent = c.above[agent] {
		n++
	}
	return n
}

// promote merges the outermost agents into the main agent until the main agent has content.
func (c *scopes) promote(list []*span) {
	said := func(s *span) bool { return s.kind() == model }
	for slices.ContainsFunc(list, said) && !slices.ContainsFunc(list, func(s *span) bool {
		return said(s) && c.of[s] == nil
	}) {
		tops := map[*span]bool{}
		for agent, above := range c.above {
			tops[agent] = above == nil
		}
		for _, s := range list {
			if tops[c.of[s]] {
				c.of[s] = nil
			}
		}
		for agent, above := range c.above {
			switch {
			case tops[agent]:
				delete(c.above, agent)
			case tops[above]:
				c.above[agent] = nil
			}
		}
	}
}

// callAround returns the id of the call that started an agent, from the tool span around it.
func callAround(agent *span, byID map[string]*span) string {
	for n, at := 0, byID[agent.parent]; at != nil && n < 100 && !at.agent(); n, at = n+1, byID[at.parent] {
		if at.kind() == tool {
			return at.callID()
		}
	}
	return ""
}

func (s *span) agent() bool {
	return !s.answers &&
		(s.text("gen_ai.operation.name") == "invoke_agent" || s.text("openinference.span.kind") == "AGENT")
}

func (s *span) agentName() string { return s.text("gen_ai.agent.name", "agent.name") }

// item is a span of an agent, or the start of another agent within it.
type item struct {
	span *span
	sub  *span
}

// items returns the items of each agent, in the order of time.
func (c *scopes) items(list []*span) map[*span][]item {
	out := map[*span][]item{}
	began := map[*span]bool{nil: true}
	for _, s := range list {
		if k := s.kind(); k == other {
			continue
		}
		of := c.of[s]
		for at := of; !began[at]; at = c.above[at] {
			began[at] = true
			out[c.above[at]] = append(out[c.above[at]], item{sub: at})
		}
		out[of] = append(out[of], item{span: s})
	}
	return out
}
