// Command agent plays Claude Code in the tests' scripts:
//
//	agent SESSION[/SUBAGENT] VERB ARGS
//
// It does the work of a tool, and runs the real hook process with the client's payload. Texts are Go strings without
// their quotes, so \n is a line feed. The verbs:
//
//	start [SOURCE] · prompt TEXT · stop [RUNNING…] · end · substart · subend
//	edit FILE OLD NEW · write FILE TEXT · bash COMMAND · fail COMMAND · read FILE
//	pre edit … , post edit … (and write, bash, fail): one half of a call; `post` does the tool's work first
//	did edit … : only the after-boundary, the work is done already; bg COMMAND: a call left running in the background
//	ask bash COMMAND: a dialog opens, in which the person is asked whether the call may run
//	batch FILE…: all calls of the answer, which edited those files, have ended, and so have the hooks of others
//	say TEXT: an answer of the model, which only the session file holds
//	serve: one process for the whole conversation, whose shells are its children; verbs come line by line, with tabs
//
// Verbs of a conversation that serves:
//
//	run COMMAND: between pre bash and did bash, in the shell of that call
//	as SUBAGENT: who acts from here on, nobody for the conversation itself · unhooked [NAMES]: sets UNHOOKED
//
// With the environment variable TRANSCRIPTS the session file is written too, as the client writes it. If the variable
// is "now", the times in the file are the present time. UNHOOKED names tools, or events, that hooks do not report.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: agent SESSION[/SUBAGENT] VERB ARGS")
		os.Exit(2)
	}
	p, err := newPlayer(os.Args[1])
	if err == nil {
		err = p.play(os.Args[2], os.Args[3:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}
