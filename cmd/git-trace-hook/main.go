// Command git-trace-hook is called by the hooks of agents and of git: package runner, and nothing else. It starts in
// two thirds of the time of git-trace, which has all commands.
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
