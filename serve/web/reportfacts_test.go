package web

import (
	"testing"

	"github.com/git-trace/git-trace/report/span"
)

func TestAFactOfAReportSaysWhereItsLinesAre(t *testing.T) {
	t.Parallel()
	b := &reportBody{}
	b.Limits.Low, b.Limits.Several = 15, 11
	b.Weak, b.Shared = make([]span.Run, 115), make([]span.Run, 11)
	facts := b.Facts()
	if len(facts) != 2 {
		t.Fatalf("facts: %+v", facts)
	}
	if several := facts[0]; len(several.Shown) != 11 || len(several.Below) != 0 || several.Left != 0 {
		t.Errorf("of 11 places %d are shown and %d folded", len(several.Shown), len(several.Below))
	}
	if weak := facts[1]; len(weak.Shown) != 10 || len(weak.Below) != 90 || weak.Left != 15 {
		t.Errorf("of 115 places %d are shown, %d folded and %d left out", len(weak.Shown), len(weak.Below), weak.Left)
	}
}
