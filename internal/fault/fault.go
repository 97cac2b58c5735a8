// Package fault turns a panic of a program into an error of one line, without a trace of Go; a hook stays silent.
// Goroutines use it too, because a panic in one of them would end the program past every recover of main.
//
// A program first sets the handler (Tell or Hush) and then calls Run. Without a handler, as in tests, a panic stays a
// panic. The runtime itself may end the program, for example when memory runs out; a handler cannot prevent that.
package fault

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"unicode"
)

var door atomic.Pointer[func(what string)]

// At sets the handler of faults. tell gets the fault and its place, in one line, and ends the program.
func At(tell func(what string)) { door.Store(&tell) }

// Tell sets the handler of a program for people: an error in one line, and git's exit status for it.
func Tell() {
	At(func(what string) {
		fmt.Fprintf(os.Stderr, "git-trace: error: %s\n", text(what))
		os.Exit(died)
	})
}

// died is the exit status of git where it dies.
const died = 128

// Hush sets the door of a hook, which never prints and never fails.
func Hush() { At(func(string) { os.Exit(0) }) }

// Caught turns a panic into an error, so that a server can answer the next question. It is deferred.
func Caught(err *error) {
	if what := recover(); what != nil {
		*err = errors.New(text(fmt.Sprintf("%v, at %s", what, place())))
	}
}

// text says in one line what happened, without anything that a terminal would obey.
func text(what string) string {
	what = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, what)
	return "a fault of git-trace itself: " + what + "; please report it: https://github.com/git-trace/git-trace/issues"
}

// Catch takes a panic to the door. It is deferred.
func Catch() {
	tell := door.Load()
	if tell == nil {
		return
	}
	if what := recover(); what != nil {
		(*tell)(fmt.Sprintf("%v, at %s", what, place()))
	}
}

// Run runs a program with the handler, and returns its exit status.
func Run(program func() int) int {
	defer Catch()
	return program()
}

// Go starts a goroutine whose faults come to the door.
func Go(do func()) { go In(do)() }

// In wraps do for a goroutine: its faults go to the handler.
func In(do func()) func() {
	return func() {
		defer Catch()
		do()
	}
}

const module = "github.com/git-trace/git-trace/"

// place returns our line in which a panic occurred, or the outermost one that led to it.
func place() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	for panicking := false; ; {
		frame, more := frames.Next()
		name, ours := strings.CutPrefix(frame.Function, module)
		switch {
		case frame.Function == "runtime.gopanic", frame.Function == "runtime.panicmem":
			panicking = true
		case panicking && (ours || strings.HasPrefix(frame.Function, "main.")):
			if !ours {
				name = frame.Function
			}
			return fmt.Sprintf("%s:%d (%s)", frame.File[strings.LastIndexByte(frame.File, '/')+1:], frame.Line, name)
		}
		if !more {
			return "a place unknown"
		}
	}
}
