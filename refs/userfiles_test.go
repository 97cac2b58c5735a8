package refs

import (
	"path/filepath"
	"testing"
)

func TestPathsOfConfigurationsAsGitReadsThem(t *testing.T) {
	t.Setenv("HOME", "/home/a")
	t.Setenv("XDG_CONFIG_HOME", "")
	if got := UserFile("attributes"); got != filepath.FromSlash("/home/a/.config/git/attributes") {
		t.Errorf("the user's file is %q", got)
	}
	t.Setenv("XDG_CONFIG_HOME", "/xdg")
	if got := UserFile("attributes"); got != filepath.FromSlash("/xdg/git/attributes") {
		t.Errorf("the user's file is %q", got)
	}
	for path, want := range map[string]string{"~/x": filepath.FromSlash("/home/a/x"), "/x": "/x", "x": "x"} {
		if got, ok := ExpandHome(path); !ok || got != want {
			t.Errorf("%q is %q, %v", path, got, ok)
		}
	}
	for _, path := range []string{"~b/x", "%(prefix)/x", ""} {
		if got, ok := ExpandHome(path); ok {
			t.Errorf("%q is %q", path, got)
		}
	}
}
