package events

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var idMember = regexp.MustCompile(`("id":"b3:).{8}`)

// told are the faults of the log, as a report lists them: number, kind, and what is said with ids left out. What lies
// before some of its files cannot be read.
func (f *forged) told(owner string, gone int) []string {
	c := newChain(nil)
	c.owner = owner
	last := 0
	for i, b := range f.parts() {
		if last += len(b.lines); i < gone {
			b = batch{lost: errors.New("it is gone"), end: flatEnd{seq: int64(last)}}
		}
		checked, _ := checkBatches([]batch{b})
		c.add(&checked[0])
	}
	c.settle(0)
	var out []string
	for _, fault := range c.faults {
		detail := regexp.MustCompile(`[0-9a-f]{16,}`).ReplaceAllString(fault.Detail, "ID")
		out = append(out, fmt.Sprintf("%d %s: %s", fault.Seq, fault.Kind, detail))
	}
	return out
}

// renumber gives an event another number, and an id that fits unless it is to be seen.
func (f *forged) renumber(k, to int, fits bool) {
	line := seqMember.ReplaceAllString(*f.line(k), fmt.Sprintf(`"seq":%d`, to))
	if fits {
		line = reseal(f.t, line)
	}
	*f.line(k) = line
}

// rechain makes every event from one on name the one before it, and gives it a number if one is wanted.
func (f *forged) rechain(from int, number func(k int) int) {
	for k := from; k <= f.events(); k++ {
		before, err := DecodeLine([]byte(*f.line(k - 1)))
		check(f.t, err)
		e, err := DecodeLine([]byte(*f.line(k)))
		check(f.t, err)
		line := strings.Replace(*f.line(k), string(e.Prev), string(before.ID), 1)
		*f.line(k) = reseal(f.t, seqMember.ReplaceAllString(line, fmt.Sprintf(`"seq":%d`, number(k))))
	}
}

// Events 1 and 2, 3 and 4, 5 to 7, 8 to 11, 12, 13 and 14 are a file each.
func TestEveryFaultIsToldWithThePlaceOfItsEvent(t *testing.T) {
	t.Parallel()
	_, good := sampleLog(t, 0, 6)
	_, foreign := sampleLog(t, 1000, 6)
	e, err := DecodeLine([]byte(*good.line(1)))
	check(t, err)
	same := func(k int) int { return k }
	tests := []struct {
		name  string
		owner string
		spoil func(f *forged)
		gone  int // so many files before the others
	}{
		{name: "nothing"},
		{name: "its writer's ref", owner: e.Writer},
		{name: "another writer's ref", owner: "00000000000000ff"},
		{name: "a byte", spoil: func(f *forged) { *f.line(6) = strings.Replace(*f.line(6), `"s1"`, `"s2"`, 1) }},
		{name: "a byte of the last one of a file", spoil: func(f *forged) { *f.line(7) = strings.Replace(*f.line(7), `"s1"`, `"s2"`, 1) }},
		{name: "no event", spoil: func(f *forged) { *f.line(6) = "{}" }},
		{name: "no event at the end of a file", spoil: func(f *forged) { *f.line(7) = "{}" }},
		{name: "no event at the beginning", spoil: func(f *forged) { *f.line(1) = "{}" }},
		{name: "none of a file is one", spoil: func(f *forged) { *f.line(3), *f.line(4) = "{}", "{}" }},
		{name: "an id alone", spoil: func(f *forged) { *f.line(6) = idMember.ReplaceAllString(*f.line(6), `${1}00000000`) }},
		{name: "two change places", spoil: func(f *forged) { a, b := f.line(5), f.line(6); *a, *b = *b, *a }},
		{name: "two files change places", spoil: func(f *forged) { f.batches[2], f.batches[3] = f.batches[3], f.batches[2] }},
		{name: "one is missing", spoil: func(f *forged) { f.replace(6) }},
		{name: "the first is missing", spoil: func(f *forged) { f.replace(1) }},
		{name: "the first two are missing", spoil: func(f *forged) { f.batches = f.batches[1:] }},
		{name: "a file is missing", spoil: func(f *forged) { f.batches = slices.Delete(f.batches, 2, 3) }},
		{name: "one is there twice", spoil: func(f *forged) { f.replace(6, *f.line(6), *f.line(6)) }},
		{name: "the last of a file stands in the next one, too", spoil: func(f *forged) { f.replace(8, *f.line(7), *f.line(8)) }},
		{name: "one of another log", spoil: func(f *forged) { f.replace(6, *foreign.line(6), *f.line(6)) }},
		{name: "one of another log in the place of one", spoil: func(f *forged) { f.replace(6, *foreign.line(6)) }},
		{name: "a number that is too high", spoil: func(f *forged) { f.renumber(6, 20, true) }},
		{name: "a number that is too low", spoil: func(f *forged) { f.renumber(6, 2, true) }},
		{name: "the number of the next one", spoil: func(f *forged) { f.renumber(6, 7, true) }},
		{name: "a number with its id left", spoil: func(f *forged) { f.renumber(6, 20, false) }},
		{name: "the last one's number is too high", spoil: func(f *forged) { f.renumber(14, 20, true) }},
		{name: "the last one's number is too low", spoil: func(f *forged) { f.renumber(14, 3, true) }},
		{name: "numbers are left out from one on", spoil: func(f *forged) { f.rechain(8, func(k int) int { return k + 10 }) }},
		{name: "numbers come again from one on", spoil: func(f *forged) { f.rechain(8, func(k int) int { return k - 5 }) }},
		{name: "changed with its id", spoil: func(f *forged) { *f.line(6) = reseal(t, strings.Replace(*f.line(6), `"s1"`, `"s2"`, 1)) }},
		{name: "changed with all ids behind it", spoil: func(f *forged) {
			*f.line(6) = reseal(t, strings.Replace(*f.line(6), `"s1"`, `"s2"`, 1))
			f.rechain(7, same)
		}},
		{name: "another writer from one on", spoil: func(f *forged) {
			for k := 9; k <= f.events(); k++ {
				*f.line(k) = reseal(t, strings.Replace(*f.line(k), e.Writer, "00000000000000ff", 1))
			}
			f.rechain(9, same)
		}},
		{name: "an event names one before the first", spoil: func(f *forged) {
			*f.line(1) = reseal(t, strings.Replace(*f.line(1), `"prev":""`, `"prev":"`+string(e.ID)+`"`, 1))
			f.rechain(2, same)
		}},
		{name: "the first is no opening", spoil: func(f *forged) {
			f.replace(1)
			line := strings.Replace(*f.line(1), string(e.ID), "", 1)
			*f.line(1) = reseal(t, seqMember.ReplaceAllString(line, `"seq":1`))
			f.rechain(2, same)
		}},
		{name: "one is gone, and what was before it", gone: 3},
		{name: "the first is gone", gone: 1},
		{name: "all but the last are gone", gone: 5},
		{name: "one is gone, and the next is no event", spoil: func(f *forged) { *f.line(8) = "{}" }, gone: 3},
	}
	var told strings.Builder
	for _, tt := range tests {
		bad := good.copied()
		if tt.spoil != nil {
			tt.spoil(bad)
		}
		told.WriteString("\n" + tt.name + "\n")
		for _, fault := range bad.told(tt.owner, tt.gone) {
			told.WriteString("  " + fault + "\n")
		}
	}
	if got := told.String(); got != faultsTold {
		for i, line := range strings.Split(got, "\n") {
			if want := strings.Split(faultsTold, "\n"); i >= len(want) || want[i] != line {
				t.Errorf("line %d of faultsTold is another one:\n%s", i, got)
				break
			}
		}
	}
}

const faultsTold = `
nothing

its writer's ref

another writer's ref
  1 writer: written by ID, the ref names ID

a byte
  6 hash: bytes hash to b3:ID, the event says b3:ID

a byte of the last one of a file
  7 hash: bytes hash to b3:ID, the event says b3:ID

no event
  6 shape: a member that every event has is missing

no event at the end of a file
  7 shape: a member that every event has is missing

no event at the beginning
  1 shape: a member that every event has is missing

none of a file is one
  3 shape: a member that every event has is missing
  4 shape: a member that every event has is missing

an id alone
  6 hash: bytes hash to b3:ID, the event says b3:ID

two change places
  5 number: number 6 follows 4
  6 chain: names b3:ID as the previous event, which is b3:ID
  7 number: number 5 instead of 7
  7 chain: names b3:ID as the previous event, which is b3:ID
  7 chain: names b3:ID as the previous event, which is b3:ID

two files change places
  5 number: number 8 follows 4
  8 chain: names b3:ID as the previous event, which is b3:ID
  12 number: number 5 instead of 12
  12 chain: names b3:ID as the previous event, which is b3:ID
  12 number: number 6 instead of 12
  12 number: number 7 instead of 12
  12 chain: names b3:ID as the previous event, which is b3:ID

one is missing
  6 number: number 7 follows 5
  7 chain: names b3:ID as the previous event, which is b3:ID

the first is missing
  1 number: number 2 follows 0
  2 chain: names b3:ID as the previous event, but there is none

the first two are missing
  1 number: number 3 follows 0
  3 chain: names b3:ID as the previous event, but there is none

a file is missing
  5 number: number 8 follows 4
  8 chain: names b3:ID as the previous event, which is b3:ID

one is there twice
  6 number: the event is there twice
  6 chain: names b3:ID as the previous event, which is b3:ID

the last of a file stands in the next one, too
  7 number: the event is there twice
  7 chain: names b3:ID as the previous event, which is b3:ID

one of another log
  6 writer: written by ID, the log is of ID
  6 chain: names b3:ID as the previous event, which is b3:ID
  7 number: number 6 instead of 7
  7 chain: names b3:ID as the previous event, which is b3:ID

one of another log in the place of one
  6 writer: written by ID, the log is of ID
  6 chain: names b3:ID as the previous event, which is b3:ID
  7 chain: names b3:ID as the previous event, which is b3:ID

a number that is too high
  6 number: number 20 instead of 6
  7 chain: names b3:ID as the previous event, which is b3:ID

a number that is too low
  6 number: number 2 instead of 6
  7 chain: names b3:ID as the previous event, which is b3:ID

the number of the next one
  6 number: number 7 instead of 6
  7 chain: names b3:ID as the previous event, which is b3:ID

a number with its id left
  6 hash: bytes hash to b3:ID, the event says b3:ID

the last one's number is too high
  14 number: number 20 follows 13

the last one's number is too low
  14 number: number 3 instead of 14

numbers are left out from one on
  8 number: number 18 follows 7

numbers come again from one on
  8 number: number 3 instead of 8
  8 number: number 4 instead of 8
  8 number: number 5 instead of 8
  8 number: number 6 instead of 8
  8 number: number 7 instead of 8

changed with its id
  7 chain: names b3:ID as the previous event, which is b3:ID

changed with all ids behind it

another writer from one on
  9 writer: written by ID, the log is of ID
  10 writer: written by ID, the log is of ID
  11 writer: written by ID, the log is of ID
  12 writer: written by ID, the log is of ID
  13 writer: written by ID, the log is of ID
  14 writer: written by ID, the log is of ID

an event names one before the first
  1 chain: names b3:ID as the previous event, but there is none

the first is no opening
  1 shape: the log does not begin with log_started

one is gone, and what was before it
  7 object: it is gone: nothing before it can be checked

the first is gone
  2 object: it is gone: nothing before it can be checked

all but the last are gone
  12 object: it is gone: nothing before it can be checked

one is gone, and the next is no event
  7 object: it is gone: nothing before it can be checked
  8 shape: a member that every event has is missing
`
