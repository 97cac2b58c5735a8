package snapshot

import (
	"os"
	"testing"
)

// Hooks that a shell starts have their variables in another order than those that an agent starts. The configuration is
// the same, and git need not be asked for it again.
func TestTheEnvironmentIsTheSameInAnyOrder(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", "/nonexistent/a")
	t.Setenv("HOME", os.Getenv("HOME")) // is put back
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	one := environment()
	for name, value := range map[string]string{"XDG_CONFIG_HOME": "/nonexistent/a", "HOME": os.Getenv("HOME")} {
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
		t.Setenv(name, value) // stands last now
		if other := environment(); other != one {
			t.Errorf("with %s last: %s, want %s", name, other, one)
		}
	}
	t.Setenv("XDG_CONFIG_HOME", "/nonexistent/b")
	if environment() == one {
		t.Error("another place of the configuration is the same")
	}
}
