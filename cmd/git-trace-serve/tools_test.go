package main

import "testing"

// The lines of one owner and commit are one line of the answer, whether a prompt is known of them or not.
func TestABlameIsToldByRuns(t *testing.T) {
	t.Parallel()
	got, err := runsOf(`{"lines": [
		{"line": 1, "commit": "0123456789abcdef", "author": "Ann", "contributor": "human", "trace": null, "prompt": null},
		{"line": 2, "commit": "0123456789abcdef", "author": "Ann", "contributor": "ai", "trace": "c86cc1f1-1", "agent": "pi",
			"model": "m", "prompt": {"index": 3, "text": "why"}, "evidence": "exact_blob", "confidence": "high"},
		{"line": 3, "commit": "0123456789abcdef", "author": "Ann", "contributor": "ai", "trace": "c86cc1f1-1", "agent": "pi",
			"model": "m", "prompt": {"index": 3, "text": "why"}, "evidence": "exact_blob", "confidence": "high"},
		{"line": 5, "commit": null, "author": null, "contributor": "unknown", "trace": null, "prompt": null}]}`)
	const want = "1-1  human Ann  0123456789   \n2-3  ai pi m c86cc1f1#3  0123456789  exact_blob high\n5-5  unknown  not committed   \n"
	if err != nil || got != want {
		t.Errorf("%v: %q, not %q", err, got, want)
	}
}
