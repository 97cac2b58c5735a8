package refs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestACauseNamesNoPath(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing")
	_, openErr := os.Open(missing)
	other := errors.New("disk full")
	for what, err := range map[string]error{
		"open":    openErr,
		"wrapped": fmt.Errorf("read the settings: %w", openErr),
		"rename":  os.Rename(missing, missing+"2"),
	} {
		if got := PathCause(err); got.Error() != "no such file or directory" || !errors.Is(got, os.ErrNotExist) {
			t.Errorf("%s: %v", what, got)
		}
	}
	if got := PathCause(other); !errors.Is(got, other) {
		t.Errorf("another error became %v", got)
	}
}
