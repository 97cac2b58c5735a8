package driver

import "testing"

func noneMarked(t *testing.T, res *Result) {
	t.Helper()
	if left := marked(runMark + "=" + res.Dir); len(left) > 0 {
		t.Errorf("processes left: %v", left)
	}
}
