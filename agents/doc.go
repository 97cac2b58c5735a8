// Package agents is the list of coding agents that git-trace can be connected with.
//
// Package agents/capability defines the capabilities; each agent's package implements the capabilities of that agent.
// Other packages serve several agents: agents/payload and agents/transcript for reading foreign data safely,
// agents/installer, agents/hookfile and agents/userfile for editing settings without touching the entries of others.
// Session files of JSON lines are read by agents/jsonlines and agents/sessionfile.
//
// The list is a function: nothing registers itself, and there is no state. To add an agent, write its package,
// whose New returns an Agent with its capabilities, and name it in registry: no other place names an agent.
package agents
