package redact

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records/rawjson"
	"github.com/git-trace/git-trace/records/redact/gitleaks"
)

// What is no secret must stay: real session files, out of which others have taken the secrets already, where they are
// present. One secret in 100 kB of text is allowed. The full form reads the files of all clients and lists what is
// taken out of them.
func TestRealSessionsKeepTheirText(t *testing.T) {
	t.Parallel()
	const some = 2 << 20
	pattern, limit := "../../../shared/corpus/claude-code/*.jsonl", some
	if testenv.Long() {
		pattern, limit = "../../../shared/corpus/*/*", 1<<30
	}
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Skip("no real sessions here")
	}
	finder, err := gitleaks.Load()
	if err != nil {
		t.Fatal(err)
	}
	rules, places := map[string]int{}, map[string]bool{}
	size, secrets := 0, 0
	began := time.Now()
	for _, name := range files {
		if size > limit {
			break
		}
		r := newRedactor(t, Options{Finder: finder})
		eachText(t, name, func(text string) {
			size += len(text)
			found, err := r.secrets(t.Context(), text, prose, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range append(found, r.highEntropy(text)...) {
				place := s.rule + ": " + text[max(0, s.start-30):s.start] + "⟦" + text[s.start:s.end] + "⟧" + text[s.end:min(len(text), s.end+20)]
				if places[place] {
					continue
				}
				places[place] = true
				if rules[s.rule]++; s.with == "" {
					secrets++
				}
				if testenv.Long() {
					t.Logf("%.200q", place)
				}
			}
		})
	}
	t.Logf("%d files, %d kB: %d places, %d of them secrets, %v, %.1f MB/s", len(files), size/1000, len(places), secrets, rules, float64(size)/1e6/time.Since(began).Seconds())
	if secrets > size/100_000 {
		t.Errorf("%d secrets in %d kB: %v", secrets, size/1000, rules)
	}
}

// eachText gives the texts of a file: the strings of its JSON, otherwise all of it.
func eachText(t *testing.T, name string, yield func(string)) {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	switch filepath.Ext(name) {
	case ".jsonl":
		for line := range bytes.Lines(raw) {
			eachString(rawjson.NewDecoder(line), yield)
		}
	case ".json", ".traj":
		eachString(rawjson.NewDecoder(raw), yield)
	case ".db":
	default:
		yield(string(raw))
	}
}

func eachString(d *rawjson.Decoder, yield func(string)) {
	switch d.Kind() {
	case rawjson.String:
		yield(d.Text())
	case rawjson.Object:
		for d.Open(); d.Member(); {
			eachString(d, yield)
		}
	case rawjson.Array:
		for d.OpenArray(); d.Element(); {
			eachString(d, yield)
		}
	default:
		d.Skip()
	}
}
