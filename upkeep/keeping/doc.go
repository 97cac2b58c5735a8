// Package keeping stores conversations: those that wait since their hooks ran, those that a backfill linked, and what
// clients send by OTLP. Its watcher looks for changes and conversations that no hook reports.
//
// One process stores at a time. A conversation is on the waiting list before its events are in the log, so the next
// process completes the work of a killed one. A purged conversation is not stored again.
package keeping
