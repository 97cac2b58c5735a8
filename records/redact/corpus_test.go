package redact

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/git-trace/git-trace/records/rawjson"
)

// What is no secret must stay: real session files, out of which others have taken the secrets already, where they are
// present. One redaction in 100 kB of text is allowed.
func TestRealSessionsKeepTheirText(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../shared/corpus/claude-code/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Skip("no real sessions here")
	}
	r := newRedactor(t, Options{})
	markers := regexp.MustCompile(`\[REDACTED:[a-z0-9-]+\]`)
	rules := map[string]int{}
	size, found := 0, 0
	began := time.Now()
	for _, name := range files {
		if size > 2<<20 {
			break
		}
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() && size < 2<<20 {
			eachString(rawjson.NewDecoder(lines.Bytes()), func(text string) {
				size += len(text)
				for _, m := range markers.FindAllString(redacted(t, r, text), -1) {
					rules[m]++
					found++
				}
			})
		}
		_ = file.Close()
	}
	t.Logf("%d redactions in %d kB, %v, %.1f MB/s", found, size/1000, rules, float64(size)/1e6/time.Since(began).Seconds())
	if found > size/100_000 {
		t.Errorf("%d redactions in %d kB: %v", found, size/1000, rules)
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
