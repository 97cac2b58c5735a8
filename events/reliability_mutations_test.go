package events

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

var seqMember = regexp.MustCompile(`"seq":\d+`)

// mutation spoils a log at random and says which event a report must name.
type mutation struct {
	name  string
	spoil func(f *forged, foreign *forged, k int) (named []int)
}

func mutations() []mutation {
	return []mutation{
		{"flip a byte", func(f, _ *forged, k int) []int {
			line := []byte(*f.line(k))
			line[rand.N(len(line))] ^= byte(1 + rand.N(31)) // never makes or takes a line feed unnoticed
			if bytes.IndexByte(line, '\n') >= 0 {
				line = bytes.ReplaceAll(line, []byte("\n"), []byte(" "))
			}
			*f.line(k) = string(line)
			return []int{k}
		}},
		{"swap two events", func(f, _ *forged, k int) []int {
			other := k + 1 + rand.N(f.events()-k)
			a, b := f.line(k), f.line(other)
			*a, *b = *b, *a
			return []int{k}
		}},
		{"swap two files", func(f, _ *forged, k int) []int {
			i, _ := f.at(k)
			i = min(i, len(f.batches)-2)
			k = 1
			for _, b := range f.batches[:i] {
				k += len(b.lines)
			}
			f.batches[i], f.batches[i+1] = f.batches[i+1], f.batches[i]
			return []int{k}
		}},
		{"drop an event", func(f, _ *forged, k int) []int { f.replace(k); return []int{k} }},
		{"drop a file", func(f, _ *forged, k int) []int {
			i, _ := f.at(k)
			i = min(i, len(f.batches)-2)
			k = 1
			for _, b := range f.batches[:i] {
				k += len(b.lines)
			}
			f.batches = slices.Delete(f.batches, i, i+1)
			return []int{k}
		}},
		{"duplicate an event", func(f, _ *forged, k int) []int {
			line := *f.line(k)
			f.replace(k, line, line)
			return []int{k}
		}},
		{"splice in an event of another log", func(f, foreign *forged, k int) []int {
			other := 1 + rand.N(foreign.events())
			f.replace(k, *foreign.line(other), *f.line(k))
			if other == k {
				return []int{k, k + 1} // two events of one number: which of them is the stranger shows in the chain only
			}
			return []int{k}
		}},
		{"put an event of another log in the place of one", func(f, foreign *forged, k int) []int {
			k = max(k, 2) // the first one names nothing before it, so that the second one gives the stranger away
			f.replace(k, *foreign.line(k))
			return []int{k}
		}},
		{"renumber an event", func(f, _ *forged, k int) []int {
			other := 1 + rand.N(f.events()+20)
			if other == k {
				other++
			}
			line := seqMember.ReplaceAllString(*f.line(k), fmt.Sprintf(`"seq":%d`, other))
			if rand.N(2) == 0 {
				line = reseal(f.t, line)
			}
			*f.line(k) = line
			return []int{k}
		}},
		{"change an event and its id", func(f, _ *forged, k int) []int {
			*f.line(k) = reseal(f.t, strings.Replace(*f.line(k), `"v":1`, `"v":2`, 1))
			return []int{k + 1} // the next one no longer names it
		}},
		{"change a type", func(f, _ *forged, k int) []int {
			*f.line(k) = regexp.MustCompile(`"type":"\w+"`).ReplaceAllString(*f.line(k), `"type":"turn_ended"`)
			return []int{k}
		}},
		{"re-date an event", func(f, _ *forged, k int) []int {
			*f.line(k) = strings.Replace(*f.line(k), `"time":"2026`, `"time":"2025`, 1)
			return []int{k}
		}},
		{"change the writer from one event on", func(f, _ *forged, k int) []int {
			k = max(k, 2) // from the first one on, it is another writer's sound log
			prev := ""
			for n := k; n <= f.events(); n++ {
				e, err := DecodeLine([]byte(*f.line(n)))
				check(f.t, err)
				line := strings.Replace(*f.line(n), e.Writer, "00000000000000ff", 1)
				if prev != "" {
					line = strings.Replace(line, string(e.Prev), prev, 1)
				}
				*f.line(n) = reseal(f.t, line)
				e, err = DecodeLine([]byte(*f.line(n)))
				check(f.t, err)
				prev = string(e.ID)
			}
			return []int{k}
		}},
	}
}

// A log is spoiled at random, in each of the ways above; a report must find it and name the first event that is wrong.
// The full form spoils a log of 200 events 10,000 times. Truncation takes an anchor to see: rows C4.
func TestReliabilityC1EveryMutationIsFoundAndNamed(t *testing.T) {
	t.Parallel()
	batches := testenv.Pick(20, 20, 80)
	_, foreign := sampleLog(t, 1000, batches)
	rounds := testenv.Pick(2, 12, 500)
	for _, m := range mutations() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			log, good := sampleLog(t, 0, batches)
			good.t = t
			if r := verifyRef(t, log, ""); r.State != Consistent || r.Events != good.events() || len(r.Notes) > 0 {
				t.Fatalf("the log itself: %+v", r)
			}
			const ref = "refs/traces/remotes/test/mutated/events"
			for round := range rounds {
				bad := good.copied()
				k := 1 + rand.N(bad.events()-1)
				named := m.spoil(bad, foreign, k)
				bad.write(ref)
				r := verifyRef(t, log, ref)
				if r.State != Broken || !slices.Contains(named, int(r.BrokenAt)) || len(r.Faults) == 0 {
					t.Errorf("round %d, event %d, expected %v: %s %+v", round, k, named, r.Summary(), r.Faults)
				}
			}
		})
	}
}
