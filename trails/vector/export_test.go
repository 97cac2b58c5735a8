package vector

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/events"
)

// Compose finds the owners of a content that was never seen, such as a file staged in part, from contents that are
// known, best first: for a commit the work tree's content, then that of the parent. Lines that no source has are left
// to rest, which is asked for them in order; without rest they are Unknown.
func Compose(lines [][]byte, sources []Content, rest func(line int) Owner) Vector {
	var b Builder
	for _, run := range Origins(lines, sources) {
		if run.Source >= 0 || rest == nil {
			b.Add(run.Owner, run.Count)
			continue
		}
		for line := run.Start; line < run.Start+run.Count; line++ {
			b.Add(rest(line), 1)
		}
	}
	return b.Vector()
}

// ParseOwner reads what [Owner.String] writes.
func ParseOwner(text string) Owner {
	text, previous, _ := strings.Cut(text, "<")
	text, reformatted := strings.CutSuffix(text, "~")
	owner := Owner{Previous: events.PatchID(previous), Reformatted: reformatted}
	kind, patch, found := strings.Cut(text, ":")
	switch k := events.OwnerKind(kind); {
	case k == events.OwnerHuman, k == events.OwnerAI, k == events.OwnerMixed, k == events.OwnerUnknown:
		owner.Kind, owner.Patch = k, events.PatchID(patch)
	case !found:
		owner.Kind, owner.Patch = events.OwnerAI, events.PatchID(text)
	default:
		owner.Kind = events.OwnerUnknown
	}
	return owner
}

// By is the author of a change that one actor made.
func By(owner Owner) Author {
	return func(int, int) Owner { return owner }
}

// Carry carries ownership through a change of one file made by one actor, with moves inside the file.
func Carry(old Content, new [][]byte, owner Owner) Result {
	c := Compare(old, new)
	Moves(c)
	return c.Resolve(By(owner))
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
