package exit

import "fmt"

// Exit statuses of the command line contract.
const (
	Done      = 0
	Finding   = 1   // verify found damage, or a conversation does not exist
	Unchecked = 2   // something could not be checked
	Leak      = 4   // the output would contain private text, so nothing is written
	Git       = 128 // no repository, or a failure of git
	Misuse    = 129
)

// Failure is an error with its exit status and hint.
type Failure struct {
	Code int
	Err  error
	Hint string
}

func (f *Failure) Error() string { return f.Err.Error() }

func (f *Failure) Unwrap() error { return f.Err }

// Fail adds an exit status to an error, and a hint if there is a remedy.
func Fail(code int, err error, hint string) error {
	if err == nil {
		return nil
	}
	return &Failure{Code: code, Err: err, Hint: hint}
}

// Usage returns the error for a mistake on the command line.
func Usage(format string, args ...any) error {
	return &Failure{Code: Misuse, Err: fmt.Errorf(format, args...)}
}

// Silent is an error with an exit status and without a message: the output says enough.
type Silent int

func (s Silent) Error() string { return fmt.Sprintf("exit status %d", int(s)) }
