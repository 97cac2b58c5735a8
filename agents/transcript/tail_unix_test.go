//go:build unix

package transcript_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/transcript"
)

func TestAPipeIsRefusedWithoutWaiting(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes here:", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := transcript.Open(pipe)
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, transcript.ErrNotRegular) {
			t.Errorf("got %v, want %v", err, transcript.ErrNotRegular)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("opening a pipe waits for a writer")
	}
}
