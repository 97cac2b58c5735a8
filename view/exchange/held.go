package exchange

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// heldOutput holds output until it may leave, in memory; if it is long, in a file.
type heldOutput struct {
	memory bytes.Buffer
	file   *os.File
}

// heldMost is the number of bytes that memory holds.
const heldMost = 8 << 20

func (h *heldOutput) Write(text []byte) (int, error) {
	if h.file == nil && h.memory.Len()+len(text) <= heldMost {
		return h.memory.Write(text)
	}
	if h.file == nil {
		file, err := os.CreateTemp("", "git-trace-output-*")
		if err != nil {
			return 0, fmt.Errorf("keep output: %w", err)
		}
		_ = os.Remove(file.Name()) // a file without a name is gone when the process ends; if this fails, close tries again
		h.file = file
		if _, err := h.memory.WriteTo(file); err != nil {
			return 0, fmt.Errorf("keep output: %w", err)
		}
	}
	return h.file.Write(text)
}

// give writes the held output.
func (h *heldOutput) give(w io.Writer) error {
	if h.file == nil {
		_, err := h.memory.WriteTo(w)
		return err
	}
	if _, err := h.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read output back: %w", err)
	}
	_, err := io.Copy(w, h.file)
	return err
}

func (h *heldOutput) close() {
	if h.file == nil {
		return
	}
	_ = h.file.Close()
	_ = os.Remove(h.file.Name())
}
