// Package active says, inside a program that internal/testing/mutate built, which mutant the program is. The product
// does not import it: mutate writes the calls into copies of the source files, which only its own builds see.
//
// The number is part of the program's file and not of its environment. Git and the tests run programs with environments
// of their own making.
package active

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

// marker is changed in the built file, at the same length: a number, a space, the path of the file that takes what was
// reached, spaces.
var marker = Mark + Blank

// Mark begins the marker, Blank is the rest of it.
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
	// A process that may not write there takes part in the test all the same.
	if record, err = os.OpenFile(path, os.O_WRONLY, 0); err == nil {
		seen = make([]atomic.Bool, n)
		number = 0
	}
}

//go:noinline
func text() string { return marker }

// Is reports whether the program is this mutant.
func Is(id int32) bool { return id == number || record != nil && reached(id) }

// In reports whether the program is one of these mutants, the last not included.
func In(from, to int32) bool { return from <= number && number < to }

// Pick returns the other value in this mutant.
func Pick[T any](id int32, original, other T) T {
	if Is(id) {
		return other
	}
	return original
}

// Zero returns the zero value of a type.
func Zero[T any]() (zero T) { return zero }

// reached notes in the file, by a byte at the mutant's number, that a test ran its code.
func reached(id int32) bool {
	if int(id) < len(seen) && !seen[id].Swap(true) {
		_, _ = record.WriteAt([]byte{1}, int64(id))
	}
	return false
}
