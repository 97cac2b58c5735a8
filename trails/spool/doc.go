// Package spool keeps files beside the timeline of a work tree: boundaries that a hook had no time to take, and notes
// of running processes.
//
// A note is written before its process begins and removed when the process is done. A note without a living process
// shows a loss. The name of a file begins with its time and its process, so names are in the order of time.
//
// It does not decide what follows from a file: package trails takes boundaries and notes in its next step.
package spool
