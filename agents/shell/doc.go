// Package shell writes and reads words of a POSIX shell's command line: for hook commands, and for commands in hints.
//
// It expands nothing. Package payload finds the possible names in an agent's command line, leniently: here a word that
// a shell would expand gives no words at all.
package shell
