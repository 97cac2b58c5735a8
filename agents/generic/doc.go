// Package generic lets any agent take part: it decodes a payload whose form is git-trace's own, documented in
// docs/agents.md and described by docs/schema/hook-1.schema.json.
//
// The agent, or somebody's wrapper around it, starts `git trace hook generic EVENT` with the payload on standard input
// at the moments that EVENT names. There is nothing to install, and there are no session files: what the payload does
// not say is not known.
//
// A payload is decoded as leniently as any other foreign data: a field that cannot be used is taken for an absent one.
// Only without a session there is no boundary.
package generic
