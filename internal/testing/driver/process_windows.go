package driver

import (
	"os/exec"
	"time"
)

// ownGroup does nothing: Windows has no process groups with signals. Only the client's own process is ended.
func ownGroup(*exec.Cmd) {}

// reap kills no process, because Windows has no process groups with signals.
func reap(int, string, time.Duration) []string { return nil }
