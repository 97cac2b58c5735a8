package terminal

import (
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
)

// Faults prints errors, except the last, as a program does. It returns the exit status of commands that continue after
// an error.
func Faults(w io.Writer, faults []error) error {
	for _, err := range faults[:max(len(faults)-1, 0)] {
		fmt.Fprintf(w, "git-trace: error: %s\n", cells.Message(err.Error()))
	}
	if len(faults) == 0 {
		return nil
	}
	var f *exit.Failure
	if last := faults[len(faults)-1]; !errors.As(last, &f) {
		return exit.Fail(exit.Unchecked, last, "")
	}
	return faults[len(faults)-1]
}
