// Package agents lists the coding agents that git-trace supports.
//
// Package agents/capability defines the capabilities. Each agent has its own package, which implements the capabilities
// of that agent. Other packages serve several agents: agents/payload and agents/transcript read untrusted data safely;
// agents/installer, agents/hookfile and agents/userfile edit settings and leave other programs' entries untouched.
// agents/jsonlines and agents/sessionfile read session files in JSON lines.
//
// The list is a function: there is no self-registration and no state. To add an agent, write its package with a
// function New that returns an Agent with its capabilities, and add it to registry. No other place names an agent.
package agents
