package driver

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// install puts a client of some version in place, without npm.
func install(t *testing.T, root, name, version, binary string) {
	t.Helper()
	c, err := ClientNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(root, name, "node_modules")
	put := func(path, text string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(modules, c.Package, "package.json"), `{"version":"`+version+`"}`, 0o644)
	if binary != "" {
		put(filepath.Join(modules, binary), "#!/bin/sh\n", 0o755)
	}
}

func TestFindTellsWhatIsMissing(t *testing.T) {
	c, err := ClientNamed("claude")
	if err != nil {
		t.Fatal(err)
	}
	const binary = "@anthropic-ai/claude-code-linux-x64/claude"
	tests := []struct {
		name, version, binary, reason string
	}{
		{"nothing installed", "", "", "claude " + c.Version + " is not installed in "},
		{"another version", "1.0.0", binary, "claude is installed as 1.0.0, not as " + c.Version},
		{"no binary", c.Version, "", "without a binary for this platform"},
		{"installed", c.Version, binary, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			t.Setenv("GITTRACE_AGENTS", root)
			if tt.version != "" {
				install(t, root, "claude", tt.version, tt.binary)
			}
			path, reason := Find("claude")
			if (path == "") != (tt.reason != "") || !strings.Contains(reason, tt.reason) {
				t.Errorf("found %q, reason %q, want reason %q", path, reason, tt.reason)
			}
			if path == "" && !strings.Contains(reason, "go run ./internal/testing/driver/install claude") {
				t.Errorf("reason %q does not say how to install", reason)
			}
		})
	}
}

func TestUnknownClientIsNamedWithTheKnownOnes(t *testing.T) {
	t.Parallel()
	if _, reason := Find("nosuch"); !strings.Contains(reason, `no client "nosuch" (known: claude`) {
		t.Errorf("reason is %q", reason)
	}
}

func TestInstallWithoutNPMSaysSo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	c, err := ClientNamed("claude")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Install(t.Context(), c, t.TempDir(), io.Discard); !errors.Is(err, ErrNoNPM) {
		t.Errorf("error is %v", err)
	}
}

// The npm of this test is a script that makes what the real one would.
func TestInstallAsksNPMForThePinnedVersionOnce(t *testing.T) {
	c, err := ClientNamed("claude")
	if err != nil {
		t.Fatal(err)
	}
	root, bin := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	npm := `#!/bin/sh
echo "npm $*"
grep -q '"@anthropic-ai/claude-code": "` + c.Version + `"' package.json || exit 9
mkdir -p node_modules/@anthropic-ai/claude-code node_modules/@anthropic-ai/claude-code-any
echo '{"version":"` + c.Version + `"}' > node_modules/@anthropic-ai/claude-code/package.json
echo > node_modules/@anthropic-ai/claude-code-any/claude && chmod +x node_modules/@anthropic-ai/claude-code-any/claude
`
	testenv.Program(t, filepath.Join(bin, "npm"), npm)
	var log strings.Builder
	for range 2 {
		path, err := Install(t.Context(), c, root, &log)
		if err != nil || filepath.Base(path) != "claude" {
			t.Fatalf("installed %q (%v): %s", path, err, log.String())
		}
	}
	if got := log.String(); strings.Count(got, "npm install") != 1 || !strings.Contains(got, "--ignore-scripts") {
		t.Errorf("npm was called with %q", got)
	}
}

// spy notes how a test would have ended.
type spy struct {
	testing.TB
	skipped, failed bool
}

func (s *spy) Helper()               {}
func (s *spy) Skip(...any)           { s.skipped = true }
func (s *spy) Fatalf(string, ...any) { s.failed = true }

func TestMissingClientSkipsAtHomeAndFailsInCI(t *testing.T) {
	t.Setenv("GITTRACE_AGENTS", t.TempDir())
	t.Setenv("GITTRACE_CI", "1") // the quick form needs none
	for ci, fails := range map[string]bool{"": false, "false": false, "true": true, "1": true} {
		t.Setenv("CI", ci)
		s := &spy{TB: t}
		Need(s, "claude")
		if s.failed != fails || s.skipped == fails {
			t.Errorf("with CI=%q: failed %v, skipped %v", ci, s.failed, s.skipped)
		}
	}
}
