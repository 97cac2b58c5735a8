package events

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// A file is checked and verified in groups of batches. A batch may be longer than a group, and damage may lie in any.
func TestALongFileIsCheckedToItsEnd(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	draft := promptDraft(0)
	draft.Worktree = strings.Repeat("w", 1000)
	batches := []int{1, 2, 3 * groupBytes / 1000, 1, groupBytes / 2000, groupBytes / 2000, groupBytes / 2000, 1}
	last := int64(1) // the log has begun
	for _, size := range batches {
		mustAppend(t, log, slices.Repeat([]Draft{draft}, size)...)
		last += int64(size)
	}
	expectCopy(t, log, last).Close()
	report, err := log.Verify(t.Context(), Verification{})
	check(t, err)
	if report.State != Consistent || int64(report.Events) != last {
		t.Errorf("verified as %s, %d events", report.Summary(), report.Events)
	}
	text, err := os.ReadFile(log.JournalPath())
	check(t, err)
	ends := lineStarts(text, '#')
	for name, at := range map[string]int{
		"in the long batch":    ends[1] + len(text)/3,
		"the end of a batch":   ends[2],
		"in the last of all":   ends[len(ends)-1] - 20,
		"a line begins as end": lineStarts(text, '{')[2000],
	} {
		wrong := bytes.Clone(text)
		wrong[at] ^= 3
		if wrong[at] == '{'^3 {
			wrong[at] = '#'
		}
		check(t, log.ForgetCopies())
		check(t, os.WriteFile(log.JournalPath(), wrong, 0o600))
		c := openCopyOf(t, log, refs.EventsRef)
		whole := int64(0) // batches before the damage
		for _, end := range ends {
			if end < at {
				whole++
			}
		}
		events := int64(bytes.Count(text[:ends[whole-1]], []byte("\n{")))
		stored := int64(ends[whole-1] + bytes.IndexByte(text[ends[whole-1]:], '\n') + 1)
		if len(c.Notes) != 1 || c.Text().Stored() != stored || int64(len(numbersIn(t, c))) < events {
			t.Errorf("%s: checked to byte %d, want %d; notes %q", name, c.Text().Stored(), stored, c.Notes)
		}
		c.Close()
		report, err := log.Verify(t.Context(), Verification{})
		check(t, err)
		if report.State != Broken || report.BrokenAt <= events {
			t.Errorf("%s: verified as %s", name, report.Summary())
		}
	}
}

// lineStarts tells where lines with a first byte begin.
func lineStarts(text []byte, first byte) (out []int) {
	for at := range text {
		if text[at] == first && at > 0 && text[at-1] == '\n' {
			out = append(out, at)
		}
	}
	return out
}
