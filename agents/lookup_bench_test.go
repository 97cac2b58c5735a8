package agents_test

import (
	"testing"

	"github.com/git-trace/git-trace/agents"
)

// BenchmarkLookup is what a hook pays to find its agent.
func BenchmarkLookup(b *testing.B) {
	env := agents.Env{Home: "/home/dev", Binary: "/opt/git-trace"}
	for b.Loop() {
		if _, found := agents.Lookup(env, "codex-cli"); !found {
			b.Fatal("not found")
		}
	}
}
