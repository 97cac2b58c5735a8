package driver

import (
	"reflect"
	"strings"
	"testing"
)

func TestRepositoryIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	if head := NewRepo(t).Git("rev-parse", "HEAD"); head != "07d0fb2e44485963ecfd64d84f3489c7b2d98a39" {
		t.Errorf("HEAD is %s", head)
	}
}

func TestNothingButThePathComesFromTheCaller(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "real-key")
	t.Setenv("GIT_DIR", "/elsewhere")
	t.Setenv("GOCOVERDIR", "")
	repo := NewRepo(t)
	var names []string
	for _, entry := range repo.Env("/first") {
		name, value, _ := strings.Cut(entry, "=")
		names = append(names, name)
		if name == "PATH" && !strings.HasPrefix(value, "/first:") {
			t.Errorf("PATH is %s", value)
		}
	}
	want := []string{"PATH", "HOME", "TMPDIR", "LANG", "TERM", "SHELL", "GIT_CONFIG_NOSYSTEM", "GIT_TERMINAL_PROMPT", "GITTRACE_HOOK_SECONDS"}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("environment is %q, want %q", names, want)
	}
}
