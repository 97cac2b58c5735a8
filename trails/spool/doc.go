// Package spool keeps files next to the timeline of a work tree: boundaries that a hook had no time to handle, and
// notes of running processes.
//
// A note is written before its process begins its work, and removed when the process is done. A note whose process is
// not running shows that something was lost. The name of a file begins with its time and process id, so sorting by name
// sorts by time.
//
// The package does not interpret the files: package trails takes boundaries and notes in its next step.
package spool
