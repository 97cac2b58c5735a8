package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// outcome is the result of a run of tests.
type outcome struct {
	Passed    int                 `json:"passed"`
	Failed    []string            `json:"failed"`  // tests, and packages that failed as a whole
	Skipped   map[string][]string `json:"skipped"` // skipped tests, by reason
	Slowest   []timed             `json:"slowest"`
	Wall      time.Duration       `json:"wall"`
	Processor time.Duration       `json:"processor"` // processor time of go test and all its children
}

type timed struct {
	Test    string  `json:"test"`
	Seconds float64 `json:"seconds"`
}

const slowest = 10

func newOutcome() *outcome { return &outcome{Skipped: map[string][]string{}} }

func (o *outcome) add(other *outcome) {
	o.Passed += other.Passed
	o.Failed = append(o.Failed, other.Failed...)
	for why, tests := range other.Skipped {
		o.Skipped[why] = append(o.Skipped[why], tests...)
	}
	for _, one := range other.Slowest {
		o.took(one)
	}
	o.Wall += other.Wall
	o.Processor += other.Processor
}

func (o *outcome) took(one timed) {
	o.Slowest = append(o.Slowest, one)
	slices.SortFunc(o.Slowest, func(a, b timed) int { return cmp.Compare(b.Seconds, a.Seconds) })
	o.Slowest = o.Slowest[:min(len(o.Slowest), slowest)]
}

// event is one line of `go test -json` (go doc test2json).
type event struct {
	Action  string
	Package string
	Test    string
	Elapsed float64
	Output  string
}

// follow reads the output of `go test -json`, and prints the output of go test without -v: packages and failures.
func follow(w io.Writer, in io.Reader) (*outcome, error) {
	o := newOutcome()
	said := map[string]*strings.Builder{} // output of each test or package so far
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprint(w, string(line)) // output that does not come from package testing
			} else {
				o.take(w, e, said)
			}
		}
		if err == io.EOF {
			return o, nil
		} else if err != nil {
			return o, err
		}
	}
}

func (o *outcome) take(w io.Writer, e event, said map[string]*strings.Builder) {
	name := strings.TrimRight(e.Package+" "+e.Test, " ")
	switch e.Action {
	case "build-output":
		fmt.Fprint(w, e.Output)
		return
	case "output":
		if said[name] == nil {
			said[name] = &strings.Builder{}
		}
		said[name].WriteString(e.Output)
		return
	case "pass", "fail", "skip":
	default:
		return
	}
	text := ""
	if said[name] != nil {
		text = said[name].String()
		delete(said, name)
	}
	if e.Test != "" {
		o.took(timed{name, e.Elapsed})
	}
	switch {
	case e.Action == "fail":
		o.Failed = append(o.Failed, name)
		if e.Test == "" { // if a test program dies, its tests have no end event
			for _, left := range slices.Sorted(maps.Keys(said)) {
				if strings.HasPrefix(left, name+" ") {
					fmt.Fprint(w, said[left])
				}
			}
		}
		fmt.Fprint(w, text)
	case e.Test == "":
		if e.Action == "pass" {
			fmt.Fprint(w, lastLine(text))
		}
	case e.Action == "skip":
		why := reason(text)
		o.Skipped[why] = append(o.Skipped[why], name)
	default:
		o.Passed++
	}
}

func lastLine(text string) string {
	lines := slices.Collect(strings.Lines(text))
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}

// saidAt matches a log line of a test.
var saidAt = regexp.MustCompile(`(?m)^\s+\S+\.go:\d+: (.*)$`)

// skippedBy matches the line with which testscript skips the rest of a script.
var skippedBy = regexp.MustCompile(`(?m)^\s+> (?:\[[^\]]*\] )*skip '(.+)'$`)

// reason returns the reason of a skip: the last message of a test; for a script, the message of the line that skips.
func reason(text string) string {
	if m := skippedBy.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	all := saidAt.FindAllStringSubmatch(text, -1)
	if len(all) == 0 || all[len(all)-1][1] == "" {
		return "no reason given"
	}
	return all[len(all)-1][1]
}

// `print` prints the outcome. For each reason it lists three of the skipped tests.
func (o *outcome) print(w io.Writer) {
	if len(o.Slowest) > 0 {
		fmt.Fprintln(w, "\nslowest:")
		for _, one := range o.Slowest {
			fmt.Fprintf(w, "  %6.1f s  %s\n", one.Seconds, short(one.Test))
		}
	}
	skipped := 0
	for _, why := range slices.SortedFunc(maps.Keys(o.Skipped), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(o.Skipped[b]), len(o.Skipped[a])), cmp.Compare(a, b))
	}) {
		tests := o.Skipped[why]
		if skipped == 0 {
			fmt.Fprintln(w, "skipped:")
		}
		skipped += len(tests)
		more := ""
		if len(tests) > 3 {
			more = ", …"
		}
		var names []string
		for _, test := range tests[:min(len(tests), 3)] {
			names = append(names, short(test))
		}
		fmt.Fprintf(w, "  %4d  %s (%s%s)\n", len(tests), why, strings.Join(names, ", "), more)
	}
	for _, name := range o.Failed {
		fmt.Fprintln(w, "failed:", name)
	}
	fmt.Fprintf(w, "%d passed, %d failed, %d skipped, in %.0f s, %.0f s of processor time\n",
		o.Passed, len(o.Failed), skipped, o.Wall.Seconds(), o.Processor.Seconds())
}

// `short` returns the name of a test without its package.
func short(name string) string { return name[strings.LastIndex(name, " ")+1:] }
