package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// What is taken out of real conversations, and was no secret: at most 2 of 100. What is not the name of a home counts as
// none, whatever it is; the log lists it. Docs/records.md tells what was found by reading it.
func TestRealRecordsLoseNamesOfHomesAndLittleElse(t *testing.T) {
	t.Parallel()
	if !testenv.Long() {
		t.Skip("GITTRACE_LONG=1 runs it: it reads all real sessions twice")
	}
	corpus := os.Getenv("GITTRACE_CORPUS")
	if corpus == "" {
		corpus = "../../../shared/corpus"
	}
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("no real sessions here: set GITTRACE_CORPUS")
	}
	files := append(filesBelow(t, corpus), filesBelow(t, filepath.Join(moduleRoot, "testdata", "sessions"))...)
	records, names, others := 0, 0, map[string]int{}
	for _, file := range files {
		whole, redacted := convertedLines(t, file, "--no-redact"), convertedLines(t, file)
		if len(whole) != len(redacted) {
			t.Fatalf("%s: %d records, and %d without what was taken out", file, len(whole), len(redacted))
		}
		records += len(whole)
		for i := range whole {
			eachTaken(whole[i], redacted[i], func(before, taken string) {
				if behindHome.MatchString(before) {
					names++
				} else {
					others[taken]++
				}
			})
		}
	}
	rest := 0
	for _, taken := range slices.Sorted(maps.Keys(others)) {
		rest += others[taken]
		t.Logf("%d × %.100q", others[taken], taken)
	}
	t.Logf("%d files, %d records: %d names of homes, %d others", len(files), records, names, rest)
	if records < 300 || rest*100 > 2*(names+rest) {
		t.Errorf("of %d records %d things were taken out that are no names of homes, beside %d that are", records, rest, names)
	}
}

// behindHome is the end of a text behind which the name of a home stands.
var behindHome = regexp.MustCompile(`(?i)(?:[/\\-](?:users|home)[/\\-]+|~)$`)

func filesBelow(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.Contains(path, "/storage/") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// convertedLines are the records of a file, none of one that is no conversation.
func convertedLines(t *testing.T, file string, options ...string) (records []any) {
	t.Helper()
	binary, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, slices.Concat([]string{"convert", "--format", "opentraces"}, options, []string{file})...)
	cmd.Env = append(os.Environ(), "HOME="+testenv.TempDir(t))
	out, _ := cmd.Output() // of what is no conversation there is none
	for line := range bytes.Lines(out) {
		var one any
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		records = append(records, one)
	}
	return records
}

// eachTaken gives what stands in the strings of a value and not in those of its redacted form, with the text before it.
func eachTaken(whole, redacted any, take func(before, taken string)) {
	switch a := whole.(type) {
	case string:
		if b, ok := redacted.(string); ok && a != b {
			takenOut(a, b, take)
		}
	case []any:
		b, _ := redacted.([]any)
		for i := range min(len(a), len(b)) {
			eachTaken(a[i], b[i], take)
		}
	case map[string]any:
		b, _ := redacted.(map[string]any)
		for name, value := range a {
			if name != "security" && name != "content_hash" {
				eachTaken(value, b[name], take)
			}
		}
	}
}

var wordsAndSigns = regexp.MustCompile(`\[REDACTED:[^\]]*\]|[\pL\pN_]+|\s+|.`)

// takenOut goes through two texts side by side. What was taken out ends where both are alike again.
func takenOut(whole, redacted string, take func(before, taken string)) {
	a, b := wordsAndSigns.FindAllString(whole, -1), wordsAndSigns.FindAllString(redacted, -1)
	const alike = 4 // so many words and signs
	at := 0
	for i := 0; i < len(b); i++ {
		if at < len(a) && a[at] == b[i] {
			at++
			continue
		}
		from, next := at, b[i+1:min(len(b), i+1+alike)]
		for at < len(a) && (at == from || !slices.Equal(a[at:min(len(a), at+len(next))], next) || len(next) == 0) {
			at++
		}
		if from == at {
			return // only a part of a word was taken out: the rest cannot be told
		}
		take(strings.Join(a[max(0, from-8):from], ""), strings.Join(a[from:at], ""))
	}
}
