package refs

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// ReadFile gives what os.ReadFile does, whatever size a file tells: also those of /proc, which tell none.
func TestReadFileReadsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []int{0, 1, 1023, 1024, 1025, 4096, 70_001} {
		path := filepath.Join(dir, "file")
		want := bytes.Repeat([]byte("ab\x00"), size)[:size]
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %d, %v", size, len(got), err)
		}
		if got, err := ReadText(path); err != nil || got != string(want) {
			t.Errorf("%d bytes as a text: %d, %v", size, len(got), err)
		}
		for _, most := range []int{0, 1, 1024, 70_000} {
			if got, err := ReadStart(path, most); err != nil || !bytes.Equal(got, want[:min(most, size)]) {
				t.Errorf("%d of %d bytes: %d, %v", most, size, len(got), err)
			}
		}
	}
	for _, path := range []string{filepath.Join(dir, "none"), filepath.Join(dir, "file", "below")} {
		_, err := ReadFile(path)
		_, std := os.ReadFile(path)
		var at *fs.PathError
		if !errors.As(err, &at) || at.Path != path || errors.Is(err, fs.ErrNotExist) != errors.Is(std, fs.ErrNotExist) {
			t.Errorf("%s: %v, and os says %v", path, err, std)
		}
	}
	if _, err := ReadFile(dir); err == nil {
		t.Error("a directory is read as a file")
	}
	if runtime.GOOS == "linux" {
		want, err := os.ReadFile("/proc/cpuinfo")
		if got, failed := ReadFile("/proc/cpuinfo"); err != nil || failed != nil || len(got) < len(want)/2 || len(got) == 0 {
			t.Errorf("/proc/cpuinfo: %d bytes of %d, %v %v", len(got), len(want), failed, err)
		}
	}
}
