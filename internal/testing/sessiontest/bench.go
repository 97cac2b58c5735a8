package sessiontest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/records"
)

// nowhere is a sink that drops the steps.
type nowhere struct{}

func (nowhere) Step(*records.Step) error            { return nil }
func (nowhere) Late(int, records.Observation) error { return nil }

// Bench measures reading the real sessions.
func (s Suite) Bench(b *testing.B) {
	b.Helper()
	var files []string
	size := int64(0)
	for _, pattern := range s.Corpus {
		found, _ := filepath.Glob(filepath.Join("..", "..", "..", "*", "corpus", filepath.FromSlash(pattern)))
		for _, path := range found {
			if info, err := os.Stat(path); err == nil {
				files = append(files, path)
				size += info.Size()
			}
		}
	}
	if len(files) == 0 {
		b.Skip("no real session files")
	}
	b.SetBytes(size)
	for b.Loop() {
		for _, path := range files {
			if _, err := s.Agent.Parser.Parse(b.Context(), path, capability.ParseOptions{}, nowhere{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
