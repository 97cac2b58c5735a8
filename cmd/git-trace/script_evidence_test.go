package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// A script says who owns a line. On what evidence blame says so, with what confidence, and which call of which prompt
// it names, stands beside the scripts, in testdata/evidence: a line for each `owners` of the script, in its order, with
// what it said of the lines one after the other. UPDATE_EVIDENCE=1 writes them anew; the difference is to be read.
const evidenceDir = "../../testdata/evidence"

// evidenceEnv names the file that `owners` adds to.
const evidenceEnv = "OWNERS_EVIDENCE"

// holdEvidence compares, when a script has ended well, what was noted with what stands in a directory. A script in
// which a moment decides takes the variable away.
func holdEvidence(env *testscript.Env, dir string) {
	noted := filepath.Join(env.WorkDir, ".owners")
	env.Setenv(evidenceEnv, noted)
	name := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")
	env.Defer(func() {
		if t, ok := env.T().(interface {
			Failed() bool
			Skipped() bool
		}); ok && (t.Failed() || t.Skipped()) {
			return
		}
		got, err := os.ReadFile(noted)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			env.T().Fatal(err)
		}
		golden := filepath.Join(dir, name+".txt")
		want, err := os.ReadFile(golden)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			env.T().Fatal(err)
		}
		if string(got) == string(want) {
			return
		}
		if os.Getenv("UPDATE_EVIDENCE") != "" {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				env.T().Fatal(err)
			}
			return
		}
		env.T().Fatal(fmt.Sprintf("%s is not what owners said; if it is right now, UPDATE_EVIDENCE=1 writes it:\n%s", golden, firstDifference(string(want), string(got))))
	})
}

// firstDifference shows the first line that two texts differ in.
func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(a), len(b)) {
		var x, y string
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return fmt.Sprintf("line %d: want %s\n     got %s", i+1, x, y)
		}
	}
	return ""
}
