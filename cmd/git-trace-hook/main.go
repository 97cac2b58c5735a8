// Command git-trace-hook is the program that the hooks of agents and of git call. It contains package runner only. It
// starts in two thirds of the time of git-trace, which contains all commands.
package main

import (
	"os"

	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/fault"
)

func main() {
	fault.Hush()
	os.Exit(fault.Run(func() int { return runner.Main(os.Args[1:]) }))
}
