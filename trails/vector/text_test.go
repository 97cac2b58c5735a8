package vector

import (
	"fmt"
	"strings"
)

// String returns the vector as text for people and tests: its runs, each with its owner and, for more than one line, a
// star and the number of lines, as in "a1*3 human*2".
func (v Vector) String() string {
	var text strings.Builder
	for i, run := range v.runs {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(run.Owner.String())
		if run.Count > 1 {
			fmt.Fprintf(&text, "*%d", run.Count)
		}
	}
	return text.String()
}
