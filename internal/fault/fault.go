// Package fault turns a panic of a program into an error on one line, without Go's stack trace. A hook prints nothing.
// Goroutines must use this package, too: recover in main does not catch their panics.
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

// `At` sets the handler of panics. The function `tell` receives the panic and its place on one line, and ends the
// program.
func At(tell func(what string)) { door.Store(&tell) }

// Tell sets the handler for programs that people run: it prints an error on one line, and exits with git's status.
func Tell() {
	At(func(what string) {
		fmt.Fprintf(os.Stderr, "git-trace: error: %s\n", text(what))
		os.Exit(died)
	})
}

// died is git's exit status after die().
const died = 128

// Hush sets the handler for hooks, which never print and never fail.
func Hush() { At(func(string) { os.Exit(0) }) }

// Caught turns a panic into an error, so that a server can answer further requests. Call it with defer.
func Caught(err *error) {
	if what := recover(); what != nil {
		*err = errors.New(text(fmt.Sprintf("%v, at %s", what, place())))
	}
}

// text describes a panic on one line, without characters that control a terminal.
func text(what string) string {
	what = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, what)
	return "a fault of git-trace itself: " + what + "; please report it: https://github.com/git-trace/git-trace/issues"
}

// Catch passes a panic to the handler. Call it with defer.
func Catch() {
	tell := door.Load()
	if tell == nil {
		return
	}
	if what := recover(); what != nil {
		(*tell)(fmt.Sprintf("%v, at %s", what, place()))
	}
}

// Run runs a program, passes its panics to the handler, and returns its exit status.
func Run(program func() int) int {
	defer Catch()
	return program()
}

// Go starts a goroutine whose panics are passed to the handler.
func Go(do func()) { go In(do)() }

// In wraps do for a goroutine, so that its panics are passed to the handler.
func In(do func()) func() {
	return func() {
		defer Catch()
		do()
	}
}

const module = "github.com/git-trace/git-trace/"

// place returns the line of our code in which a panic occurred, or that called the code in which it occurred.
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
