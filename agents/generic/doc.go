// Package generic serves any agent: it decodes a payload in git-trace's own form, documented in docs/agents.md and
// described by docs/schema/hook-1.schema.json.
//
// The agent, or a wrapper around it, starts `git trace hook generic EVENT` with the payload on standard input at the
// moments that EVENT names. There is nothing to install, and there are no session files: only the payload has facts.
//
// A payload is decoded as leniently as other foreign data: an unusable field counts as absent. Only without a session
// there is no boundary.
package generic
