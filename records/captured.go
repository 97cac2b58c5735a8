package records

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Captured counts the elements of conversations' source files: the elements in the record, and the skipped elements by
// reason. Both together are all elements.
type Captured struct {
	Taken   int
	Skipped map[string]int
}

// Add adds the counts from the metadata of an imported record. Other records add nothing.
func (c *Captured) Add(r *Record) {
	var told struct {
		Method  string         `json:"method"`
		Lines   int            `json:"lines"`
		Skipped map[string]int `json:"skipped_lines"`
	}
	if json.Unmarshal(r.Metadata["capture"], &told) != nil || told.Method != "import" {
		return
	}
	c.Taken += told.Lines
	for reason, n := range told.Skipped {
		if c.Skipped == nil {
			c.Skipped = map[string]int{}
		}
		c.Skipped[reason] += n
	}
}

// String returns, for example, "7 of 9 elements taken, skipped: copied_context 2".
func (c *Captured) String() string {
	all, reasons := c.Taken, make([]string, 0, len(c.Skipped))
	for _, reason := range slices.Sorted(maps.Keys(c.Skipped)) {
		all += c.Skipped[reason]
		reasons = append(reasons, fmt.Sprintf("%s %d", reason, c.Skipped[reason]))
	}
	return fmt.Sprintf("%d of %d elements taken, skipped: %s", c.Taken, all, strings.Join(reasons, ", "))
}
