// Package cli reads command lines: the options, which mean the same in every command, and the operands. It writes the
// help of a command. The program gives the commands, and what their traits mean.
package cli
