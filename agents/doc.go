// Package agents is the list of coding agents that git-trace can be connected with.
//
// What an agent can do is said in agents/capability; each agent has a package of its own that implements as much of it
// as the agent allows. Packages hold what several agents need: agents/payload and agents/transcript for reading foreign
// data safely, agents/installer, agents/hookfile and agents/userfile for editing settings without touching what others
// wrote. Session files of JSON lines are read by agents/jsonlines and agents/sessionfile.
//
// The list is a function: nothing registers itself, and there is no state. An agent is added by writing its package,
// whose New gives an Agent with the capabilities it has, and naming it in registry: nothing else knows an agent by
// name.
package agents
