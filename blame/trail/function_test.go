package trail

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

const oneID, otherID = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"

func begun(id string) string { return recordSign + id + "\x0010\x0020\x00Somebody\x00A subject\n\n" }

func TestReadsWhatLogTellsOfLines(t *testing.T) {
	const head = "diff --git a/f.go b/f.go\n--- a/f.go\n+++ b/f.go\n"
	for name, test := range map[string]struct {
		out  string
		want string // a line a commit: its start, path, added and removed lines
		fail bool
	}{
		"nothing":         {"", "", false},
		"a commit":        {begun(oneID) + head + "@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n", "1 f.go +2 -1\n", false},
		"a new file":      {begun(oneID) + "diff --git a/f.go b/f.go\n--- /dev/null\n+++ b/f.go\n@@ -0,0 +1 @@\n+a\n", "1 f.go +1 -0\n", false},
		"a removed line":  {begun(oneID) + head + "@@ -1,2 +1,1 @@\n a\n-b\n", "1 f.go +0 -1\n", false},
		"no last newline": {begun(oneID) + head + "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n", "1 f.go +1 -1\n", false},
		"its end":         {begun(oneID) + head + "@@ -1 +1 @@\n-a\n+b", "1 f.go +1 -1\n", false},
		"two hunks":       {begun(oneID) + head + "@@ -1 +1 @@\n-a\n+b\n@@ -9,0 +9,1 @@\n+c\n", "1 f.go +2 -1\n", false},
		"two commits": {begun(oneID) + head + "@@ -1 +1 @@\n-a\n+b\n" + begun(otherID) + "--- a/f.go\n+++ b/g.go\n@@ -0,0 +1 @@\n+a\n",
			"1 f.go +1 -1\n2 g.go +1 -0\n", false},
		"a name with a space": {begun(oneID) + "--- a/a b\t\n+++ b/a b\t\n@@ -0,0 +1 @@\n+a\n", "1 a b +1 -0\n", false},
		"a quoted name":       {begun(oneID) + `+++ "b/\303\244\t"` + "\n@@ -0,0 +1 @@\n+a\n", "1 ä\t +1 -0\n", false},
		// lines that look as if they were of a diff
		"signs within":  {begun(oneID) + head + "@@ -1,2 +1,2 @@\n--- a/x\n-@@ -1 +1 @@\n+++ b/x\n+" + recordSign + "x\n", "1 f.go +2 -2\n", false},
		"half a hunk":   {begun(oneID) + head + "@@ -1 +1 @@\n-a\n", "", true},
		"no hunk":       {begun(oneID) + head + "@@ x @@\n", "", true},
		"no id":         {recordSign + "x\x0010\x0020\x00S\x00s\n", "", true},
		"no time":       {recordSign + oneID + "\x00x\x0020\x00S\x00s\n", "", true},
		"too few facts": {recordSign + oneID + "\n", "", true},
	} {
		r := lineLog{}
		err := r.read(strings.NewReader(test.out))
		got := ""
		for i := range r.changes {
			c := &r.changes[i]
			got += fmt.Sprintf("%s %s +%d -%d\n", c.Commit.String()[:1], c.Raw, c.Added, *c.Removed)
		}
		if (err != nil) != test.fail || !test.fail && got != test.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, test.want)
		}
	}
}

// Whatever git prints, the lines are those of the changes.
func FuzzLineLog(f *testing.F) {
	f.Add(begun(oneID) + "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n")
	f.Add(begun(oneID) + "+++ \"b/\\1\"\n@@ -0,0 +1,9 @@\n+a")
	f.Fuzz(func(t *testing.T, out string) {
		r := lineLog{}
		if err := r.read(strings.NewReader(out)); err != nil && errors.Is(err, errLineLog) {
			return
		}
		added := 0
		for i := range r.changes {
			added += r.changes[i].Added
		}
		if added != len(r.lines) {
			t.Errorf("%d lines are of changes, and %d are there", added, len(r.lines))
		}
	})
}
