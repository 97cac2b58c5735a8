// Package active tells a program that internal/testing/mutate built which mutant is active. git-trace itself does not
// import it: mutate writes the calls into copies of the source files, which only its builds use.
//
// The number is in the program's file, not in its environment, because git and the tests run programs with new
// environments.
package active

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

// marker is overwritten in the built file with the same length: a number, a space, the path of the file that records
// reached mutants, spaces.
var marker = Mark + Blank

// Mark is the beginning of the marker, Blank is the rest.
const (
	Mark  = "\x01git-trace-mutant\x02"
	Blank = "000000 " + sixty + sixty + sixty + sixty

	sixty = "                                                            "
)

var (
	number int32
	record *os.File
	seen   []atomic.Bool
)

func init() {
	first, path, _ := strings.Cut(text()[len(Mark):], " ")
	n, err := strconv.ParseInt(first, 10, 32)
	if err != nil {
		return
	}
	number = int32(n)
	if path = strings.TrimSpace(path); path == "" {
		return
	}
	// A process that may not write the file still takes part in the test.
	if record, err = os.OpenFile(path, os.O_WRONLY, 0); err == nil {
		seen = make([]atomic.Bool, n)
		number = 0
	}
}

//go:noinline
func text() string { return marker }

// `Is` reports whether this mutant is active.
func Is(id int32) bool { return id == number || record != nil && reached(id) }

// `In` reports whether one of the mutants from…to-1 is active.
func In(from, to int32) bool { return from <= number && number < to }

// Pick returns the parameter `other` if this mutant is active, otherwise the parameter `original`.
func Pick[T any](id int32, original, other T) T {
	if Is(id) {
		return other
	}
	return original
}

// Zero returns the zero value of a type.
func Zero[T any]() (zero T) { return zero }

// `reached` sets the byte at the mutant's number in the file, to record that a test ran its code.
func reached(id int32) bool {
	if int(id) < len(seen) && !seen[id].Swap(true) {
		_, _ = record.WriteAt([]byte{1}, int64(id))
	}
	return false
}
