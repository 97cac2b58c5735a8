// Package generic supports any agent: it decodes a payload in git-trace's own form, which docs/agents.md explains and
// docs/schema/hook-1.schema.json specifies.
//
// The agent, or a wrapper around it, runs `git trace hook generic EVENT` at the time of EVENT, with the payload on
// standard input. There is nothing to install and there are no session files: all data comes from the payload.
//
// A payload is decoded as leniently as other untrusted data: an invalid field counts as missing. Only a payload without
// a session gives no boundary.
package generic
