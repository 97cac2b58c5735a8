package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/tracestate"
	"github.com/git-trace/git-trace/refs"
)

// Training writes states and pairs of conversations, as the options request.
type Training struct {
	Err     io.Writer // for hints
	Options tracestate.Options
	Count   bool // also print how many were skipped
	stats   tracestate.Stats
	// told returns the log's facts about a conversation; nil without a log.
	Told  func(r *records.Record) (tracestate.Told, error)
	Human bool     // include the log's edits by people
	Files []string // files with answers of teachers
	held  int      // number of edits left out because human is false
}

// IsTraining reports whether the options are for a format.
func IsTraining(format Format) bool {
	return format.Name == tracestate.Name || format.Name == tracestate.PairsName
}

// writeStates and writePairs write with the default options.
func writeStates(w io.Writer, r *records.Record) error {
	t := Training{}
	if err := t.Options.Check(); err != nil {
		return err
	}
	return t.states(w, r)
}

func writePairs(w io.Writer, r *records.Record) error {
	t := Training{}
	if err := t.Options.Check(); err != nil {
		return err
	}
	return t.pairs(w, r)
}

// Teach reads the answers of teachers, and passes their texts through clean.
func (t *Training) Teach(clean func(string) (string, error)) error {
	if len(t.Files) == 0 {
		return nil
	}
	t.Options.Teachers = &tracestate.Teachers{}
	for _, name := range t.Files {
		file, err := Open(name)
		if err == nil {
			err = errors.Join(t.Options.Teachers.Read(file, clean), file.Close())
		}
		if err != nil {
			return exit.Fail(exit.Unchecked, FileFault(name, refs.PathCause(err)), "")
		}
	}
	return nil
}

// Into returns a format that uses these options.
func (t *Training) Into(format Format) Format {
	if t == nil {
		return format
	}
	format.Write = t.states
	if format.Name == tracestate.PairsName {
		format.Write = t.pairs
	}
	return format
}

func (t *Training) states(w io.Writer, r *records.Record) error {
	told, err := t.tell(r)
	if err != nil {
		return err
	}
	return tooLong(tracestate.Write(w, r, t.Options, told, &t.stats))
}

func (t *Training) pairs(w io.Writer, r *records.Record) error {
	told, err := t.tell(r)
	if err != nil {
		return err
	}
	return tooLong(tracestate.WritePairs(w, r, t.Options, told, &t.stats))
}

// Tell returns the log's facts. It includes people's edits only if they are wanted.
func (t *Training) tell(r *records.Record) (tracestate.Told, error) {
	if t.Told == nil {
		return tracestate.Told{}, nil
	}
	told, err := t.Told(r)
	if err != nil || t.Human {
		return told, err
	}
	for _, e := range told.Edits {
		t.held += e.Human
	}
	told.Edits = nil
	return told, nil
}

func tooLong(err error) error {
	if errors.Is(err, tracestate.ErrTooLong) {
		return exit.Fail(exit.Unchecked, err, "--history delta writes each message once; --max-tokens shortens histories")
	}
	return err
}

// Done prints the number of records that were not written.
func (t *Training) Done() error {
	if t == nil {
		return nil
	}
	if t.held > 0 {
		fmt.Fprintf(t.Err,
			"git-trace: hint: %s of people that replaced an agent's are left out; --include-human writes them\n",
			numbers.Count(t.held, "line"))
	}
	if all := t.Options.Teachers; all != nil && all.Unknown() > 0 {
		fmt.Fprintf(t.Err, "git-trace: warning: teachers answered %s that is not among these conversations\n",
			numbers.Count(all.Unknown(), "state"))
	}
	if !t.Count {
		return nil
	}
	raw, err := json.Marshal(t.stats)
	if err == nil {
		_, err = fmt.Fprintf(t.Err, "%s\n", raw)
	}
	return err
}
