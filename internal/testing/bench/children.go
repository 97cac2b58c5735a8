package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// First arguments with which this program starts itself as a child.
const (
	appenderArg = "child-append"
	peakArg     = "child-peak"
)

// printPeak runs a command, and prints its peak resident memory in bytes.
func printPeak(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(peakMemory(cmd.ProcessState))
	return 0
}

// appendMany appends a number of events to the log of a repository, one at a time.
func appendMany(dir, number string) int {
	repo, err := refs.Discover(dir)
	if err == nil {
		log := events.OpenLog(repo)
		n, _ := strconv.Atoi(number)
		for i := range n {
			if err = appendTool(context.Background(), log, i); err != nil {
				break
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// appendTool appends an event as the hook of a tool call writes it.
func appendTool(ctx context.Context, log *events.Log, i int) error {
	data, err := events.Encode(events.WindowData{
		Tool: "Edit", Class: "edit", Prompt: 1, Model: "claude-sonnet-4-5", Paths: []string{"cmd/file.go"},
		Interval: int64(i),
	})
	if err != nil {
		return err
	}
	_, err = log.Append(ctx, []events.Draft{{
		Type: events.WindowOpened, Trace: events.NewTraceID("claude-code", "bench"), Agent: "claude-code", Session: "bench",
		ToolCall: "toolu_" + strconv.Itoa(i), Method: []events.Method{events.HookToolBefore}, Data: data,
	}})
	return err
}
