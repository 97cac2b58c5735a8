// Package exit has errors with an exit status and a hint: what a program tells a person when it fails.
//
// Engines choose the status and the hint where they know the cause. Only the commands print them.
package exit
