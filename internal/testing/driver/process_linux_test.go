package driver

import "testing"

func noneMarked(t *testing.T, res *Result) {
	t.Helper()
	if left, behind := marked(runMark + "=" + res.Dir); len(left)+len(behind) > 0 {
		t.Errorf("processes left: %v", left)
	}
}
