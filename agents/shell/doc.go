// Package shell quotes and splits the words of a POSIX shell's command line: for hook commands, and for commands in
// hints.
//
// It expands nothing. For an agent's command line, package payload finds possible names leniently. Here, a command that
// needs expansion gives no words at all.
package shell
