// Command suite runs `go test` for CI, and prints facts that go test hides: the skipped tests with their reasons, the
// slowest tests, and the total processor time.
//
//	suite [-tally <file>] [<go test arguments>]    # exits as go test does
//	suite -total <file>                            # what all runs came to that wrote to the file
//
// A test that the machine cannot run is skipped with a reason (package testenv). The count shows such tests, so that a
// machine that cannot run half of them does not seem to pass all.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

func main() {
	status, err := run(options(os.Args[1:]))
	if err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		status = max(status, 1)
	}
	os.Exit(status)
}

// options splits the arguments: options of this program come first. The rest is for go test. It may begin with a dash,
// which package flag would refuse.
func options(args []string) (tally, total string, test []string) {
	for len(args) > 1 {
		switch args[0] {
		case "-tally":
			tally = args[1]
		case "-total":
			total = args[1]
		default:
			return tally, total, args
		}
		args = args[2:]
	}
	return tally, total, args
}

func run(tally, total string, args []string) (int, error) {
	if total != "" {
		return 0, printTotal(os.Stdout, total)
	}
	began := time.Now()
	o, status, err := runTests(os.Stdout, args)
	if err != nil {
		return status, err
	}
	o.Wall = time.Since(began)
	o.print(os.Stdout)
	if tally == "" {
		return status, nil
	}
	return status, addTo(tally, o)
}

// runTests runs go test with the arguments, prints its output as go test does, and returns its exit status.
func runTests(w io.Writer, args []string) (*outcome, int, error) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 1, err
	}
	if err := cmd.Start(); err != nil {
		return nil, 1, err
	}
	o, readErr := follow(w, out)
	err = cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, 1, err
	}
	o.Processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return o, cmd.ProcessState.ExitCode(), readErr
}

func addTo(path string, o *outcome) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(f).Encode(o), f.Close())
}

func printTotal(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := newOutcome()
	for dec := json.NewDecoder(f); ; {
		one := newOutcome()
		if err := dec.Decode(one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		sum.add(one)
	}
	sum.print(w)
	return nil
}
