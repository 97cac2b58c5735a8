// Package testimony compares session files with the log: they are evidence too.
//
// A call that no hook reported owns the lines that it wrote, and a conversation that no hook reported enters the log.
// Background processes of hooks, commands that read, and backfill use the same comparison. A session file is read again
// only if it changed, and only its new part.
package testimony
