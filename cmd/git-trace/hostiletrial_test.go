package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/internal/exit"
)

// trial is one call of a hook: where it is started, with what.
type trial struct {
	Dir     string
	Env     []string
	Args    []string
	Payload []byte
}

// batchMark begins the names of files that are not there, by which a trace tells which trial it is about.
const batchMark = "/git-trace-trial/"

// runTrials is the program git-trace-batch: hooks one after another in one process, which starts faster under strace.
// What hooks start is this program again, as git-trace.
func runTrials(args []string) int {
	if len(args) != 2 || args[0] != "-batch" {
		main()
		return 0
	}
	raw, err := os.ReadFile(args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	for i, line := range bytes.Split(bytes.TrimSpace(raw), []byte("\n")) {
		var one trial
		err := errors.Join(json.Unmarshal(line, &one), os.Chdir(one.Dir))
		for _, entry := range one.Env {
			name, value, _ := strings.Cut(entry, "=")
			err = errors.Join(err, os.Setenv(name, value))
		}
		_, _ = os.Stat(batchMark)
		_, _ = os.Open(batchMark + strconv.Itoa(i))
		if err != nil || run(one.Args, streams{in: bytes.NewReader(one.Payload), out: os.Stdout, err: os.Stderr}) != exit.Done {
			fmt.Fprintln(os.Stderr, "trial", i, err)
			return 2
		}
		for _, entry := range one.Env {
			name, _, _ := strings.Cut(entry, "=")
			_ = os.Unsetenv(name)
		}
	}
	return 0
}
