package process

import (
	"path/filepath"
	"slices"
	"strings"
)

// ID names a process for good. The zero ID means an unknown process.
type ID struct {
	PID   int
	Start int64  // when it started, in the units of the system, since the system did
	Space string // the name space that the number belongs to
	Boot  string // the run of the system
	Host  string // the name of the machine
}

// State is the known state of a process.
type State int

// The states of a process. The zero value is Unknown.
const (
	Unknown State = iota
	Alive
	Gone
)

// Of returns the ID of the process that has a number now. It is zero if the process is missing or unknown.
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

// Known reports whether the ID names a process.
func (id ID) Known() bool { return id.Start != 0 }

// State reports whether the process lives. A process of an earlier boot of this machine is gone. A process of another
// machine, or of another name space, cannot be seen from here.
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

// info holds the system's facts about a process.
type info struct {
	parent int
	start  int64
	name   string // of the program, cut
	ended  bool   // it has ended; nobody has waited for it yet, or the system is removing it
}

// between are the programs that may run between an agent and its hook.
var between = map[string]bool{
	"sh": true, "dash": true, "bash": true, "zsh": true, "ksh": true, "mksh": true, "ash": true, "busybox": true,
	"fish": true,
	"git":  true, "env": true, "timeout": true, "nice": true,
}

// maxDepth bounds how far ancestors are followed.
const maxDepth = 64

// Starter returns the process that called the hook: the nearest ancestor that is not a shell or another program in
// between. It is 0 if unknown.
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

// Ancestor reports whether a process started this one, directly or through others.
func Ancestor(pid int) bool { return pid > 1 && slices.Contains(ancestors(parentOfSelf()), pid) }

// Ended returns the ID of a process that had a number and no longer exists.
func Ended(pid int) ID {
	id := here()
	if id.Boot != "" {
		id.PID, id.Start = pid, -1
	}
	return id
}
