package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// untilAlone waits until no process works in a directory or below it: what a hook leaves at work goes on when the hook
// and the command around it have ended. It looks twice, for a process may start another and end between the list of
// processes and the look at it. It gives up after two minutes.
func untilAlone(dir string) error {
	end, alone := time.Now().Add(2*time.Minute), 0
	for ; alone < 2; time.Sleep(5 * time.Millisecond) {
		there := ""
		dirs, err := filepath.Glob("/proc/[0-9]*/cwd")
		if err != nil {
			return err
		}
		for _, name := range dirs {
			if at, err := os.Readlink(name); err == nil && (at == dir || strings.HasPrefix(at, dir+"/")) {
				there = name
			}
		}
		switch alone++; {
		case there == "":
		case time.Now().After(end):
			return fmt.Errorf("%s: a process goes on in %s", there, dir)
		default:
			alone = 0
		}
	}
	return nil
}
