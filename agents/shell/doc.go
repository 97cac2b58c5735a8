// Package shell writes and reads words of a POSIX shell's command line: for the hooks that are installed, and for the
// commands that people are told to run.
//
// It expands nothing. What a command line of an agent may name is read by package payload, which is lenient: here a
// word that a shell would not take as it stands gives no words at all.
package shell
