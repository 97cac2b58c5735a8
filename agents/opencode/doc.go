// Package opencode supports OpenCode: the plugin that reports its actions, and the plugin's messages.
//
// OpenCode loads plugins into its own process. git-trace's plugin is one file (plugin.js). For each relevant event, it
// runs `git-trace hook opencode EVENT` and waits for it, at most three seconds; it never throws.
//
// The package relies on these facts, which were measured with the client (1.18.33):
//
//   - OpenCode waits for tool.execute.before and tool.execute.after, which have the id of the call. A call that fails
//     has no tool.execute.after; the event message.part.updated reports the failure.
//   - A subagent is a separate session, which names its parent when it is created. The plugin follows the parents, so
//     that a subagent's calls belong to the session in which the user writes.
//   - Parallel calls run in parallel.
package opencode
