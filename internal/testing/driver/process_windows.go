package driver

import (
	"os/exec"
	"time"
)

// ownGroup does nothing: Windows has no process groups that signals reach. A client ends with its own process.
func ownGroup(*exec.Cmd) {}

// reap kills no process, for the same reason.
func reap(int, string, time.Duration) []string { return nil }
