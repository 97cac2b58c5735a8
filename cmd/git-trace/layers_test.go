package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/git-trace/git-trace/"

// layers lists, for the first directory of a package, the directories it may import from.
var layers = map[string][]string{
	"refs":      {},
	"events":    {"refs"},
	"trails":    {"refs", "events"},
	"records":   {"refs", "events"},
	"agents":    {"refs", "events", "records"},
	"correlate": {"refs", "events", "trails"},
	"blame":     {"refs", "events", "trails", "correlate"},
	"graph":     {"refs", "events", "trails", "correlate"},
	"hooks":     {"refs", "events", "agents"},
	"cmd":       {"refs", "events", "trails", "agents", "records", "correlate", "blame", "graph", "hooks"},
}

func TestPackagesImportOnlyTheLayersAboveThem(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(goList(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...")) {
		fields := strings.Fields(line)
		own := layerOf(fields[0])
		allowed, known := layers[own]
		if !known {
			t.Errorf("package %s stands in no layer", fields[0])
			continue
		}
		for _, imported := range fields[1:] {
			if !strings.HasPrefix(imported, module) {
				continue
			}
			if layer := layerOf(imported); layer != own && !slices.Contains(allowed, layer) {
				t.Errorf("%s imports %s: %s may use only %v", fields[0], imported, own, allowed)
			}
		}
	}
}

// What a hook runs must start in milliseconds, so none of this may come into its packages.
func TestHookPathStaysLight(t *testing.T) {
	t.Parallel()
	heavy := []string{
		"net/http", "net", "go.etcd.io/bbolt", "github.com/urfave/cli/v2", "github.com/go-git/go-git/v5",
		"github.com/go-git/go-git/v5/plumbing/object", "html/template", "text/template", "encoding/gob", "database/sql",
		"github.com/sergi/go-diff/diffmatchpatch", "github.com/santhosh-tekuri/jsonschema/v6",
		module + "records/redact", module + "records/store", "github.com/zricethezav/gitleaks/v8/detect",
	}
	deps := strings.Fields(goList(t, "-deps", module+"trails", module+"correlate", module+"agents/claudecode", module+"events"))
	for _, dep := range deps {
		if slices.Contains(heavy, dep) {
			t.Errorf("the hook path depends on %s", dep)
		}
	}
}

func goList(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return string(out)
}

func layerOf(pkg string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(pkg, module), "/")
	return first
}
