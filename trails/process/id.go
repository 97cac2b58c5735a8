package process

import (
	"path/filepath"
	"slices"
	"strings"
)

// ID identifies a process uniquely. The zero ID means an unknown process.
type ID struct {
	PID   int
	Start int64  // start time since boot, in the system's units
	Space string // PID name space to which the number belongs
	Boot  string // id of the boot
	Host  string // name of the machine
}

// State is the state of a process, as far as it is known.
type State int

// The states of a process. The zero value is Unknown.
const (
	Unknown State = iota
	Alive
	Gone
)

// `Of` returns the ID of the process that has a number now. It is zero if there is no such process, or if it is
// unknown.
func Of(pid int) ID {
	if pid <= 0 {
		return ID{}
	}
	info, found := infoOf(pid)
	if !found || info.ended {
		return ID{}
	}
	id := here()
	id.PID, id.Start = pid, info.start
	return id
}

// Known reports whether the ID identifies a process.
func (id ID) Known() bool { return id.Start != 0 }

// State returns the state of the process. A process of an earlier boot of this machine has ended. The state of a
// process on another machine, or in another PID name space, is unknown.
func (id ID) State() State {
	if !id.Known() {
		return Unknown
	}
	now := here()
	switch {
	case now.Boot == "":
		return Unknown
	case now.Boot != id.Boot && now.Host == id.Host:
		return Gone
	case now.Boot != id.Boot || now.Space != id.Space:
		return Unknown
	}
	info, found := infoOf(id.PID)
	if !found || info.ended || info.start != id.Start {
		return Gone
	}
	return Alive
}

// info holds the system's data about a process.
type info struct {
	parent int
	start  int64
	name   string // name of the program, possibly cut off
	ended  bool   // it has ended, and its parent has not waited for it yet or the system is removing it
}

// `between` lists the programs that may run between an agent and its hook.
var between = map[string]bool{
	"sh": true, "dash": true, "bash": true, "zsh": true, "ksh": true, "mksh": true, "ash": true, "busybox": true,
	"fish": true,
	"git":  true, "env": true, "timeout": true, "nice": true,
}

// maxDepth limits how many ancestors are followed.
const maxDepth = 64

// Starter returns the process that called the hook: the nearest ancestor that is not a shell or a similar program. It
// is 0 if unknown.
func Starter() int {
	pid := parentOfSelf()
	for range maxDepth {
		if pid <= 1 {
			return 0
		}
		info, found := infoOf(pid)
		if !found {
			return 0
		}
		name := strings.TrimSuffix(filepath.Base(strings.TrimPrefix(info.name, "-")), ".exe")
		if !between[name] && !own[name] {
			return pid
		}
		pid = info.parent
	}
	return 0
}

// Ancestor reports whether a process is an ancestor of this one.
func Ancestor(pid int) bool { return pid > 1 && slices.Contains(ancestors(parentOfSelf()), pid) }

// Ended returns the ID of a process that had a number and has ended.
func Ended(pid int) ID {
	id := here()
	if id.Boot != "" {
		id.PID, id.Start = pid, -1
	}
	return id
}
