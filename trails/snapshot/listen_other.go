//go:build !linux

package snapshot

import (
	"errors"
	"time"

	"github.com/git-trace/git-trace/refs"
)

func askMonitor(string, string, []string, time.Duration) (string, error) { return "", errNoMonitor }

// Monitor hears of changes in a work tree; see StartMonitor.
type Monitor struct{}

// StartMonitor always fails, because this system has no inotify(7).
func StartMonitor(*refs.Repo, string) (*Monitor, error) { return nil, errors.ErrUnsupported }

// Close does nothing.
func (*Monitor) Close() {}
