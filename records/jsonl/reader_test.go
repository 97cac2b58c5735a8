package jsonl_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records/jsonl"
)

func TestLinesComeWithTheirNumbersAndFaults(t *testing.T) {
	t.Parallel()
	long := `{"a":"` + strings.Repeat("x", 100_000) + `"}`
	r := jsonl.NewReader(strings.NewReader("\xef\xbb\xbf{\"a\":1}\r\n\n \n"+long+"\n[1]\n{\"a\":1}{\"a\":2}\n{\"a\":\n{}"), 0)
	want := []struct {
		line int
		err  error
	}{{1, nil}, {4, nil}, {5, jsonl.ErrNotObject}, {6, jsonl.ErrNotObject}, {7, nil}, {8, nil}}
	for i, w := range want {
		got, err := r.Next()
		var fault *jsonl.Fault
		if r.Line() != w.line || w.err != nil && !errors.Is(err, w.err) {
			t.Fatalf("%d: line %d, %v; want line %d, %v", i, r.Line(), err, w.line, w.err)
		}
		if w.line == 7 != (err != nil && w.err == nil) {
			t.Errorf("line %d: %v", w.line, err)
		}
		if err != nil && (!errors.As(err, &fault) || fault.Line != w.line || !strings.HasPrefix(err.Error(), "line ")) {
			t.Errorf("line %d: fault %v", w.line, err)
		}
		if w.line == 4 && string(got) != long {
			t.Error("a long line came back changed")
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last line: %v", err)
	}
}

func TestALineBeyondTheLimitIsRefused(t *testing.T) {
	t.Parallel()
	r := jsonl.NewReader(strings.NewReader("{}\n{\"a\":\""+strings.Repeat("x", 1<<20)+"\"}"), 1000)
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); !errors.Is(err, jsonl.ErrTooLong) || err.Error() != "line 2, byte 3: line is too long" {
		t.Errorf("got %v", err)
	}
}
