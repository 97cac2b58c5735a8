package sessiontest

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/records"
)

// Damaged damages sessions as crashes, editors and other versions do, and tests the same as Fuzz. The damage is random,
// but the same in every run. With GITTRACE_LONG there is much more.
func (s Suite) Damaged(t *testing.T) {
	t.Helper()
	rounds := 8
	if os.Getenv("GITTRACE_LONG") != "" {
		rounds = 300
	}
	for _, source := range s.files(t) {
		data, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), filepath.Base(source))
		random := rand.New(rand.NewPCG(1, uint64(len(data)))) // a fixed seed: the same damage in every run
		for round := range rounds {
			damaged := data
			for range 1 + random.IntN(4) {
				damaged = damage(random, damaged)
			}
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Agent.Parser.Parse(t.Context(), path, capability.ParseOptions{Session: "damaged"},
				&records.Collector{}); err != nil && s.Refuses {
				continue
			}
			record, _ := s.Parse(t, path, capability.ParseOptions{Session: "damaged"})
			if faults := record.Check(); len(faults) > 0 {
				keepDamaged(t, source, round, damaged)
				t.Fatal(faults)
			}
			want := Encode(t, record)
			if again, err := records.Decode(want); err != nil || !bytes.Equal(Encode(t, again), want) {
				keepDamaged(t, source, round, damaged)
				t.Fatalf("the record is not read back: %v", err)
			}
			if !s.Whole && len(damaged) > 0 {
				s.Grown(t, path, damaged, random.IntN(len(damaged)), want, "damaged")
			}
		}
	}
}

// keepDamaged writes a damaged file to the test's artifacts, and prints its path.
func keepDamaged(t *testing.T, source string, round int, data []byte) {
	t.Helper()
	path := filepath.Join(t.ArtifactDir(), filepath.Base(source))
	if err := os.WriteFile(path, data, 0o600); err == nil {
		t.Logf("round %d of %s, kept with -artifacts as %s", round, source, path)
	}
}

// damage makes one random change.
func damage(random *rand.Rand, data []byte) []byte {
	lines := bytes.SplitAfter(data, []byte("\n"))
	at, other := random.IntN(len(lines)), random.IntN(len(lines))
	out := make([][]byte, len(lines))
	copy(out, lines)
	switch random.IntN(9) {
	case 0: // delete a line
		out[at] = nil
	case 1: // repeat a line
		out[at] = bytes.Join([][]byte{lines[at], lines[at]}, nil)
	case 2: // swap two lines
		out[at], out[other] = out[other], out[at]
	case 3: // delete a line feed
		out[at] = bytes.TrimSuffix(lines[at], []byte("\n"))
	case 4: // cut a line
		if len(lines[at]) > 1 {
			out[at] = append(bytes.Clone(lines[at][:random.IntN(len(lines[at]))]), '\n')
		}
	case 5: // change a byte
		if len(lines[at]) > 0 {
			out[at] = bytes.Clone(lines[at])
			out[at][random.IntN(len(out[at]))] = byte(random.IntN(256))
		}
	case 6: // cut the file
		return data[:random.IntN(len(data)+1)]
	case 7: // replace a value by one of another kind
		out[at] = replaceValue(random, lines[at])
	case 8: // insert a piece of another line
		if n := len(lines[other]); n > 0 {
			out[at] = append(bytes.Clone(lines[other][random.IntN(n):]), lines[at]...)
		}
	}
	return bytes.Join(out, nil)
}

// replaceValue replaces the value after a random colon of a line.
func replaceValue(random *rand.Rand, line []byte) []byte {
	values := [][]byte{
		[]byte(`null`), []byte(`7`), []byte(`-1`), []byte(`1e400`), []byte(`""`), []byte(`"x"`), []byte(`[]`), []byte(`{}`),
		[]byte(`[[{"id":1}]]`), []byte(`true`),
	}
	var places []int
	for i := range line {
		if bytes.HasPrefix(line[i:], []byte(`":`)) {
			places = append(places, i+2)
		}
	}
	if len(places) == 0 {
		return line
	}
	from := places[random.IntN(len(places))]
	end := from
	for end < len(line) && line[end] != ',' && line[end] != '}' && line[end] != '\n' {
		end++
	}
	return bytes.Join([][]byte{line[:from], values[random.IntN(len(values))], line[end:]}, nil)
}
