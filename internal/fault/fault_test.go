package fault_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/git-trace/git-trace/internal/fault"
)

// TestMain plays programs that come upon a fault.
func TestMain(m *testing.M) {
	if program := programs[os.Getenv("FAULT")]; program != nil {
		os.Exit(caught(program))
	}
	os.Exit(m.Run())
}

// caught plays a program behind the door for faults; 3 where it came upon none.
func caught(program func()) int {
	defer fault.Catch()
	program()
	return 3
}

func broken() { _ = []int{}[len(os.Args)] }

func wait(start func(do func())) {
	var wait sync.WaitGroup
	wait.Add(1)
	start(func() { defer wait.Done(); broken() })
	select {}
}

var programs = map[string]func(){
	"main":          func() { fault.Tell(); broken() },
	"goroutine":     func() { fault.Tell(); wait(fault.Go) },
	"group":         func() { fault.Tell(); wait(func(do func()) { new(sync.WaitGroup).Go(fault.In(do)) }) },
	"of a stranger": func() { fault.Tell(); panic("\x1b[31mred\nand more") },
	"hook":          func() { fault.Hush(); wait(fault.Go) },
}

func TestAFaultIsToldAsAnError(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		status int
		says   string
	}{
		"main":          {128, "index out of range"},
		"goroutine":     {128, "index out of range"},
		"group":         {128, "fault_test.go"},
		"of a stranger": {128, " [31mred and more"},
		"hook":          {0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "FAULT="+name)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			told := string(out)
			if status := cmd.ProcessState.ExitCode(); status != want.status || !strings.Contains(told, want.says) {
				t.Errorf("status %d, it says: %s", status, told)
			}
			if want.says == "" && told != "" || want.says != "" && (strings.Count(told, "\n") != 1 ||
				!strings.HasPrefix(told, "git-trace: error: ") || !strings.Contains(told, "please report")) {
				t.Errorf("it says: %s", told)
			}
		})
	}
}

func TestAServerGoesOnBehindAFault(t *testing.T) {
	t.Parallel()
	answer := func() (err error) {
		defer fault.Caught(&err)
		broken()
		return nil
	}
	if err := answer(); err == nil || !strings.Contains(err.Error(), "fault_test.go:") {
		t.Errorf("the answer is %v", err)
	}
}
