package capability_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
)

func TestAnAgentIsFoundByItsProgramOrItsSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "tool"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	env := capability.Env{Getenv: func(key string) string {
		if key == "PATH" {
			return "relative" + string(os.PathListSeparator) + bin
		}
		return ""
	}}
	for name, test := range map[string]struct {
		agent capability.Agent
		found bool
	}{
		"its program is on the search path": {capability.Agent{Program: "tool"}, true},
		"its settings are there":            {capability.Agent{Program: "other", Dir: bin}, true},
		"neither":                           {capability.Agent{Program: "other", Dir: filepath.Join(dir, "none")}, false},
		"a file in place of its settings":   {capability.Agent{Dir: filepath.Join(bin, "tool")}, false},
		"an agent that has neither":         {capability.Agent{}, false},
	} {
		if got := test.agent.Found(env); got != test.found {
			t.Errorf("%s: found is %v", name, got)
		}
	}
}

func TestTheIDOfASessionIsAnArgumentOfItsOwnOrTheValueOfAnOption(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ by, want []string }{
		{[]string{"claude", "--resume"}, []string{"claude", "--resume", "S"}},
		{[]string{"copilot", "--resume="}, []string{"copilot", "--resume=S"}},
	} {
		by := capability.ResumeBy(test.by)
		for range 2 { // the first call must not change the second
			if got := by.Resume("S"); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		}
	}
}
