package events

import "fmt"

// checkedLine is an event of a log, or a line that is not an event.
type checkedLine struct {
	Event
	hash ID    // hash of the bytes
	err  error // why the line is not an event
}

// bad reports whether the bytes do not match the hash, so that their content does not count.
func (c *checkedLine) bad() bool { return c.err != nil || c.hash != c.ID }

func checkLines(lines [][]byte) []checkedLine {
	var r checkedReader
	out := make([]checkedLine, len(lines))
	for i, line := range lines {
		out[i].Event, out[i].hash, out[i].err = r.read(line)
	}
	return out
}

// checkedBatch is a batch whose lines were read.
type checkedBatch struct {
	batch
	events []checkedLine
}

func checkBatches(group []batch) ([]checkedBatch, error) {
	out := make([]checkedBatch, len(group))
	for i, b := range group {
		out[i] = checkedBatch{b, checkLines(b.lines)}
	}
	return out, nil
}

func notPrevious(named, previous ID) string {
	if named == "" {
		named = "no event"
	}
	return fmt.Sprintf("names %s as the previous event, which is %s", named, previous)
}
