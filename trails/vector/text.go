package vector

import (
	"fmt"
	"strconv"
	"strings"
)

// String is the vector in a form for people and tests: its runs, each an owner and, for more than one line, a star and
// the count, as in "a1*3 human*2".
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

// Parse reads what [Vector.String] writes.
func Parse(text string) (Vector, error) {
	var b Builder
	for field := range strings.FieldsSeq(text) {
		owner, digits, found := strings.Cut(field, "*")
		count := 1
		if found {
			n, err := strconv.Atoi(digits)
			if err != nil || n < 1 {
				return Vector{}, fmt.Errorf("parse vector: %q is no run", field)
			}
			count = n
		}
		if owner == "" || count > maxLines-b.Len() {
			return Vector{}, fmt.Errorf("parse vector: %q is no run", field)
		}
		b.Add(ParseOwner(owner), count)
	}
	return b.Vector(), nil
}
