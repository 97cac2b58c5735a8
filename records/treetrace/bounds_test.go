package treetrace

import (
	"errors"
	"strings"
	"testing"
)

// A file beyond the bound is refused with the place at which it goes beyond.
func TestAFileThatIsTooLargeIsToldWithItsPlace(t *testing.T) {
	t.Parallel()
	const file = "{\n}\n"
	if raw, err := readAll(strings.NewReader(file), len(file)); err != nil || string(raw) != file {
		t.Errorf("%q, %v", raw, err)
	}
	_, err := readAll(strings.NewReader(file), len(file)-1)
	if !errors.Is(err, ErrTooLarge) || err.Error() != "read treetrace: line 2, byte 3: the file is too large" {
		t.Error(err)
	}
}
