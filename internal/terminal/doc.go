// Package terminal is the terminal of a command: its width and colour, the pager, the status line with the progress,
// lines broken at the width, and the signals with which a person ends the command.
//
// Without a terminal, text by default is neither cut nor coloured, and progress is told in whole lines. Where a CI
// reads the output, no foreign text can give it a command.
package terminal
