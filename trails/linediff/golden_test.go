package linediff_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/trails/linediff"
)

// The vectors hold what git 2.39 printed, so that agreement can be checked without git.
func TestHunkVectors(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../testdata/vectors/linediff/hunks.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name, Old, New string
		Hunks          []string
	}
	if err := json.Unmarshal(raw, &cases); err != nil || len(cases) == 0 {
		t.Fatal("no vectors", err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			got := headers(linediff.Diff(linediff.Split([]byte(c.Old)), linediff.Split([]byte(c.New)), linediff.Options{}).Hunks)
			if want := strings.Join(c.Hunks, ";"); got != want {
				t.Errorf("hunks %s, git says %s", got, want)
			}
		})
	}
}
