package span

import (
	"strings"
	"testing"
)

func TestAReportNamesTheFirstPlacesOfWeakLines(t *testing.T) {
	t.Parallel()
	page := &reportPage{rangeReport: &rangeReport{Report: &Report{}}}
	page.Limits.Low = 9
	for i := range 9 {
		run := Run{Start: 10 * (i + 1)}
		run.Lines, run.Raw = 1, "a.go"
		page.Weak = append(page.Weak, run)
	}
	page.lookHere()
	shown, err := page.Within(1<<20, nil)
	want := "- 9 lines by an agent, with weak evidence\n  - `a.go` 10\n  - `a.go` 20\n  - `a.go` 30\n  - `a.go` 40\n  - `a.go` 50\n  - and 4 places more\n"
	if err != nil || !strings.Contains(shown, want) {
		t.Errorf("%q", shown)
	}
}
