package vector_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// modelLine is a line of the model, which knows each line by its number and not by its text. A filler is a brace or a
// blank line, of which a text has many; every other line has a text of its own.
type modelLine struct {
	id     int
	filler bool
	indent int
	text   string
	owner  vector.Owner
	// free says that the model does not know the owner.
	free bool
}

type model struct {
	random *rand.Rand
	nextID int
}

// The owners that a model predicts hold for random edits of one actor: insert, delete, replace, indent, and move a
// block.
func TestCarryFollowsTheModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4000) {
		m := &model{random: rand.New(rand.NewPCG(seed, 5))}
		old := m.text()
		actor := vector.ParseOwner([]string{"S9", "human:h9", "unknown"}[m.random.IntN(3)])
		new := m.edit(old, actor)
		forgetFillers(old, new)

		before := vector.Content{Lines: render(old), Owners: modelOwners(old)}
		got := vector.Carry(before, render(new), actor).Vector
		if got.Len() != len(new) {
			t.Fatalf("seed %d: %d owners for %d lines", seed, got.Len(), len(new))
		}
		for i, line := range new {
			owner := got.At(i)
			owner.Reformatted = false // nor is the form
			if line.owner == actor {
				owner.Previous = "" // what it replaced is not part of the model
			}
			if !line.free && owner != line.owner {
				t.Fatalf("seed %d, line %d %q belongs to %s, the model says %s\n%s", seed, i, line.text, got.At(i), line.owner, compare(old, new, got))
			}
		}
	}
}

func (m *model) line(owner vector.Owner) modelLine {
	m.nextID++
	if m.random.IntN(5) == 0 {
		return modelLine{id: m.nextID, filler: true, text: []string{"}", ""}[m.random.IntN(2)], owner: owner}
	}
	return modelLine{id: m.nextID, text: fmt.Sprintf("line%d(token%d)", m.nextID, m.nextID*7), owner: owner}
}

// word is a line that is no filler.
func (m *model) word(owner vector.Owner) modelLine {
	for {
		if line := m.line(owner); !line.filler {
			return line
		}
	}
}

func (m *model) text() []modelLine {
	var lines []modelLine
	for range 1 + m.random.IntN(8) {
		owner := vector.ParseOwner([]string{"S1", "S2", "human:h1", "unknown"}[m.random.IntN(4)])
		for range 1 + m.random.IntN(8) {
			lines = append(lines, m.line(owner))
		}
	}
	return lines
}

func (m *model) edit(old []modelLine, actor vector.Owner) []modelLine {
	lines := append([]modelLine(nil), old...)
	if m.random.IntN(2) == 0 {
		lines = m.move(lines)
	}
	moved := map[int]bool{} // what moved is left alone, so that it stays a block
	for i := range lines {
		if lines[i].indent == movedIndent {
			moved[lines[i].id] = true
			lines[i].indent = 0
		}
	}
	for range m.random.IntN(6) {
		at := m.random.IntN(len(lines) + 1)
		end := min(len(lines), at+1+m.random.IntN(4))
		touchesMoved := at < len(lines) && moved[lines[at].id]
		for _, line := range lines[at:end] {
			touchesMoved = touchesMoved || moved[line.id]
		}
		if touchesMoved {
			continue
		}
		tail := append([]modelLine(nil), lines[end:]...)
		block := append([]modelLine(nil), lines[at:end]...)
		switch m.random.IntN(4) {
		case 0: // insert
			inserted := []modelLine{m.word(actor)}
			for range m.random.IntN(4) {
				inserted = append(inserted, m.line(actor))
			}
			block = append(inserted, block...)
		case 1: // delete
			block = nil
		case 2: // replace
			for i := range block {
				block[i] = m.word(actor)
			}
		case 3: // indent
			for i := range block {
				block[i].indent += 4
			}
		}
		lines = append(append(lines[:at:at], block...), tail...)
	}
	return lines
}

const movedIndent = -1

// move takes a block of three or more lines with words over a longer stretch of such lines. Which of the two moved is
// plain then: the shorter one.
func (m *model) move(lines []modelLine) []modelLine {
	size := 3 + m.random.IntN(3)
	over := size + 2 + m.random.IntN(4)
	if len(lines) < size+over {
		return lines
	}
	at := m.random.IntN(len(lines) - size - over + 1)
	for _, line := range lines[at : at+size+over] {
		if line.filler {
			return lines
		}
	}
	result := append([]modelLine(nil), lines[:at]...)
	result = append(result, lines[at+size:at+size+over]...)
	for _, line := range lines[at : at+size] {
		line.indent = movedIndent
		result = append(result, line)
	}
	result = append(result, lines[at+size+over:]...)
	for i := at; i < at+over; i++ {
		result[i].indent = movedIndent // and nothing happens to the stretch it was taken over
	}
	return result
}

// forgetFillers frees the owners of fillers that cannot be told apart: those whose neighbours are not the lines they
// stood between before.
func forgetFillers(old, new []modelLine) {
	neighbours := func(lines []modelLine, i int) (above, below modelLine) {
		if i > 0 {
			above = lines[i-1]
		}
		if i+1 < len(lines) {
			below = lines[i+1]
		}
		return above, below
	}
	stood := map[int][2]modelLine{}
	for i, line := range old {
		above, below := neighbours(old, i)
		stood[line.id] = [2]modelLine{above, below}
	}
	for i := range new {
		above, below := neighbours(new, i)
		was, known := stood[new[i].id]
		firm := known && same(above, was[0]) && same(below, was[1])
		new[i].free = new[i].filler && !firm
	}
}

// same tells whether a neighbour is a line with words, untouched.
func same(a, b modelLine) bool {
	return a.id == b.id && !a.filler && a.indent == b.indent
}

func render(lines []modelLine) [][]byte {
	var result [][]byte
	for _, line := range lines {
		result = append(result, fmt.Appendf(nil, "%*s%s", line.indent, "", line.text))
	}
	return result
}

func modelOwners(lines []modelLine) vector.Vector {
	var b vector.Builder
	for _, line := range lines {
		b.Add(line.owner, 1)
	}
	return b.Vector()
}

func compare(old, new []modelLine, got vector.Vector) string {
	text := "old:\n"
	for i, line := range old {
		text += fmt.Sprintf("%3d %-10s %*s%s\n", i, line.owner, line.indent, "", line.text)
	}
	text += "new (found, model):\n"
	for i, line := range new {
		text += fmt.Sprintf("%3d %-10s %-10s %v %*s%s\n", i, got.At(i), line.owner, line.free, line.indent, "", line.text)
	}
	return text
}

func FuzzCarry(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nx\nc"), uint8(1))
	f.Add([]byte("call(one, two)\n}\n"), []byte("call(one,\n\ttwo)\n  }\n"), uint8(2))
	f.Add([]byte("one()\ntwo()\nthree()\nfour()\n"), []byte("four()\n one()\n two()\n three()\n"), uint8(3))
	f.Add([]byte(""), []byte("\r\n\x00\xff"), uint8(0))
	f.Add([]byte("{ }\n\n{ }\n"), []byte("{\n}\n\n\n{ }"), uint8(5))
	f.Fuzz(func(t *testing.T, before, after []byte, owned uint8) {
		old := vector.Content{Lines: linediff.Split(before)}
		var b vector.Builder
		for i := range old.Lines {
			b.Add(vector.ParseOwner(fmt.Sprintf("S%d", i/(1+int(owned%7)))), 1)
		}
		old.Owners = b.Vector()
		new := linediff.Split(after)
		result := vector.Carry(old, new, vector.ParseOwner("human:h"))
		if result.Vector.Len() != len(new) {
			t.Fatalf("%d owners for %d lines", result.Vector.Len(), len(new))
		}
		checkHunks(t, len(old.Lines), len(new), result)
		composed := vector.Compose(new, []vector.Content{old, {Lines: new[:len(new)/2]}}, nil)
		if composed.Len() != len(new) {
			t.Fatalf("%d composed owners for %d lines", composed.Len(), len(new))
		}
	})
}

// checkHunks checks that the hunks are in order and that written and kept lines make up each of them.
func checkHunks(t *testing.T, oldLines, newLines int, result vector.Result) {
	t.Helper()
	old, new := 0, 0
	for i, h := range result.Hunks {
		if h.OldStart-old != h.NewStart-new || i > 0 && h.OldStart == old || h.OldCount+h.NewCount == 0 {
			t.Fatalf("hunk %d %v follows old line %d, new line %d", i, h.Hunk, old, new)
		}
		covered := 0
		for _, r := range h.Written {
			covered += r.Len()
		}
		for _, k := range h.Kept {
			covered += k.Len()
		}
		if covered != h.NewCount {
			t.Fatalf("hunk %d %v tells of %d lines", i, h.Hunk, covered)
		}
		old, new = h.Old().End, h.New().End
	}
	if oldLines-old != newLines-new {
		t.Fatalf("%d old and %d new lines follow the last hunk", oldLines-old, newLines-new)
	}
}
