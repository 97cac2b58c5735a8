// Package opencode knows OpenCode: the plugin that reports what it does, and what that plugin sends.
//
// OpenCode loads plugins into its own process. git-trace's plugin is one file (plugin.js), which starts `git-trace hook
// opencode EVENT` for each event that matters and waits for it, at most three seconds; it never throws.
//
// The package relies on these facts, measured with the client (1.18.33):
//
//   - tool.execute.before and tool.execute.after are awaited and have the id of the call. A call that fails has no
//     tool.execute.after; the event message.part.updated says that it has failed.
//   - A sub-agent is a session of its own, whose parent is named when it is made. The plugin follows the parents, so
//     that a sub-agent's calls come under the session that the user talks to.
//   - Parallel calls run in parallel.
package opencode
