package main

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// scenario is a set of measurements made in turn on the same repositories.
type scenario struct {
	name string
	// prepare makes the files, and returns the function for one round. Rounds are numbered from 0. Warm-up rounds do not
	// count.
	prepare func(b *bench) (func(round int, r *recorder) error, error)
	rows    []row
}

// warmups is the number of rounds that are not counted.
const warmups = 2

// enough is the time after which a scenario makes only the least number of rounds. For short measurements, a median of
// five rounds mostly shows other processes' work.
const enough = 3 * time.Second

// kind is the kind of comparison in a row.
type kind uint8

const (
	ratio     kind = iota // our figure divided by the reference
	work                  // the same with processor time
	extra                 // our figure minus the reference, in ms
	extraWork             // the same with processor time
	limit                 // only our figure, in ms
	memory                // peak memory of ours, in MB
	count                 // a number that the scenario counted
)

// row is a promise: one line of the result.
type row struct {
	title     string
	ours      string // name of the series to judge
	reference string // name of the series to compare with
	kind      kind
	bound     float64
}

// series holds the measurements with one name.
type series struct {
	times []time.Duration
	cpu   []time.Duration // processor time of the processes, and of children that they waited for
	rss   int64           // peak of one process, in bytes
	count float64
}

// recorder makes and keeps measurements.
type recorder struct {
	bench   *bench
	series  map[string]*series
	counted bool
}

func (r *recorder) of(name string) *series {
	s := r.series[name]
	if s == nil {
		s = &series{}
		r.series[name] = s
	}
	return s
}

// run measures processes that run one after the other as one measurement.
func (r *recorder) run(name string, cmds ...*exec.Cmd) error {
	var cpu time.Duration
	err := r.time(name, func() error {
		for _, cmd := range cmds {
			if err := r.bench.check(cmd); err != nil {
				return err
			}
			cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
		return nil
	})
	if err == nil && r.counted {
		s := r.of(name)
		s.cpu = append(s.cpu, cpu)
	}
	return err
}

// peak measures the peak resident memory of a process. It starts the process from a small child of this program: memory
// that a process shares with its parent before exec counts as its own.
func (r *recorder) peak(name string, cmd *exec.Cmd) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	wrapped := r.bench.command(cmd.Dir, self, append([]string{peakArg}, cmd.Args...)...)
	wrapped.Stdin = cmd.Stdin
	out, err := r.bench.output(wrapped)
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	s := r.of(name)
	s.rss = max(s.rss, n)
	return err
}

// time measures the duration of a function.
func (r *recorder) time(name string, do func() error) error {
	start := time.Now()
	err := do()
	took := time.Since(start)
	if err == nil && r.counted {
		s := r.of(name)
		s.times = append(s.times, took)
	}
	return err
}

func (r *recorder) set(name string, n float64) { r.of(name).count = n }

// inTurn runs two functions; in every second round the second one runs first.
func inTurn(round int, first, second func() error) error {
	if round%2 == 1 {
		first, second = second, first
	}
	if err := first(); err != nil {
		return err
	}
	return second()
}

// `measure` runs a scenario.
func (b *bench) measure(s scenario) ([]result, error) {
	round, err := s.prepare(b)
	if err != nil {
		return nil, err
	}
	r := &recorder{bench: b, series: map[string]*series{}}
	start := time.Now()
	for i := 0; i < warmups+b.rounds || i < warmups+b.most && time.Since(start) < enough; i++ {
		r.counted = i >= warmups
		if err := round(i, r); err != nil {
			return nil, err
		}
	}
	var results []result
	for _, row := range s.rows {
		results = append(results, row.judge(s.name, r))
	}
	return results, nil
}

// median returns the median of durations, in ms.
func median(times []time.Duration) float64 {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	middle := sorted[len(sorted)/2]
	if len(sorted)%2 == 0 {
		middle = (middle + sorted[len(sorted)/2-1]) / 2
	}
	return float64(middle.Microseconds()) / 1000
}
