package version

import (
	"runtime/debug"
	"testing"
)

// Each way to build tells what it built: a checkout its commit, `go install …@VERSION` the version that was asked for.
func TestTheVersionTellsWhatWasBuilt(t *testing.T) {
	t.Parallel()
	built := func(module string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: module}, Settings: settings}
	}
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "4be77d1a2b3c4d5e6f708192a3b4c5d6e7f80912"}
	changed := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for _, c := range []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"without information", nil, Number},
		{"from an archive", built("(devel)"), Number},
		{"from a checkout", built("v0.0.0-20261124111516-4be77d1a2b3c", revision), Number + " (4be77d1a2b3c)"},
		{"from a changed one", built("(devel)", revision, changed), Number + " (4be77d1a2b3c, changed)"},
		{"from a checkout of a tag", built("v0.2.0", revision), "0.2.0 (4be77d1a2b3c)"},
		{"from a changed checkout of a tag", built("v0.2.0+dirty", revision, changed), "0.2.0 (4be77d1a2b3c, changed)"},
		{"behind a tag", built("v0.2.1-0.20261124111516-4be77d1a2b3c", revision), Number + " (4be77d1a2b3c)"},
		{"from a changed checkout behind a tag", built("v0.2.1-0.20261124111516-4be77d1a2b3c+dirty", revision, changed), Number + " (4be77d1a2b3c, changed)"},
		{"installed at a tag", built("v0.2.0"), "0.2.0"},
		{"installed at a commit", built("v0.0.0-20261124111516-4be77d1a2b3c"), "0.0.0-20261124111516-4be77d1a2b3c"},
	} {
		if got := text(c.info); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
