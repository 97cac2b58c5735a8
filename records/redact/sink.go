package redact

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Sink redacts a conversation step by step as a parser passes it, and makes the Record at the end. After an error it
// accepts no steps and makes no Record. The caller closes it unless Finish returned a Record.
type Sink struct {
	redactor *Redactor
	ctx      context.Context
	steps    *records.Spool
	counts   []int           // number of redactions in each step
	rest     int             // number of redactions in all other data
	cut      map[string]bool // calls that touch a purged file
	err      error
	ahead    *ahead // nil if each step is redacted before the next is accepted
}

// Sink returns a sink that stops redacting when the context ends. A long conversation is put into a temporary file in
// `dir`; "" means the system's directory. Secrets found in earlier conversations are forgotten.
func (r *Redactor) Sink(ctx context.Context, dir string) *Sink {
	clear(r.seen)
	return &Sink{redactor: r, ctx: ctx, steps: records.NewSpool(dir), cut: map[string]bool{}}
}

// Record redacts a whole record. It does not change its argument.
func (r *Redactor) Record(ctx context.Context, record *records.Record) (*Record, error) {
	s := r.Sink(ctx, "")
	for i := range record.Steps {
		step := record.Steps[i]
		step.ToolCalls, step.Observations = slices.Clone(step.ToolCalls), slices.Clone(step.Observations)
		if err := s.Step(&step); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	head := *record
	head.Steps = nil
	redacted, err := s.Finish(&head)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return redacted, nil
}

// Redacted adds the JSON of a step that was redacted earlier as the next step. The JSON is from a stored record, and
// `n` is its number of redactions.
func (s *Sink) Redacted(raw []byte, n int) error {
	return s.settled(func() error {
		s.counts = append(s.counts, n)
		if before := s.redactor.rules.Purged; before != nil && bytes.Contains(raw, []byte(`{"purged":true}`)) {
			var step records.Step
			if json.Unmarshal(raw, &step) == nil {
				before.CutStep(&step, s.cut) // for results that come later
			}
		}
		return s.steps.AppendRaw(raw)
	})
}

// Counts returns the number of redactions of each step.
func (s *Sink) Counts() []int {
	_ = s.settled(func() error { return nil }) // the error is kept in s.err
	return s.counts
}

// Truncate drops the steps after the first n.
func (s *Sink) Truncate(n int) error {
	return s.settled(func() error {
		s.counts = s.counts[:min(len(s.counts), max(n, 0))]
		return s.steps.Truncate(n)
	})
}

// Secrets reports whether the sink has already found secrets that must be removed everywhere.
func (s *Sink) Secrets() bool {
	_ = s.settled(func() error { return nil }) // the error is kept in s.err
	return len(s.redactor.seen) > 0
}

// Step redacts the next step and stores it. It drops stored steps with the same or a greater index.
func (s *Sink) Step(step *records.Step) error {
	return s.do(func() error {
		taken := 0
		if before := s.redactor.rules.Purged; before != nil {
			taken = before.CutStep(step, s.cut)
		}
		return s.run(weight(step), func(r *Redactor) (func() error, error) {
			raw, n, err := redactStep(s.ctx, r, step)
			if err != nil {
				return nil, fmt.Errorf("redact step %d: %w", step.StepIndex, err)
			}
			return func() error {
				before := max(step.StepIndex-1, 0)
				s.counts = append(s.counts[:min(len(s.counts), before)], taken+n)
				if err := s.steps.Truncate(before); err != nil {
					return err
				}
				return s.steps.AppendRaw(raw)
			}, nil
		})
	})
}

// Late redacts a result that comes after its step.
func (s *Sink) Late(stepIndex int, result records.Observation) error {
	return s.do(func() error {
		taken := 0
		if before := s.redactor.rules.Purged; before != nil {
			taken = before.CutResult(&result, s.cut)
		}
		return s.run(len(result.SourceCallID), func(r *Redactor) (func() error, error) {
			n, err := apply(s.ctx, r, &result)
			if err != nil {
				return nil, fmt.Errorf("redact a result of step %d: %w", stepIndex, err)
			}
			return func() error {
				if i := stepIndex - 1; i >= 0 && i < len(s.counts) {
					s.counts[i] += taken + n
				}
				return s.steps.Late(stepIndex, result)
			}, nil
		})
	})
}

// `settled` runs a piece of work after all earlier steps are stored.
func (s *Sink) settled(work func() error) error {
	return s.do(func() error {
		if err := s.settle(0); err != nil {
			return err
		}
		return work()
	})
}

// do runs a piece of work, unless an earlier one failed.
func (s *Sink) do(work func() error) (err error) {
	if s.err != nil {
		return s.err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrPanic, p)
		}
		s.err = err
	}()
	return work()
}

// Finish redacts the head, removes each found secret from the whole record, and makes the Record. It adds the number of
// redactions to a copy of the head.
func (s *Sink) Finish(head *records.Record) (*Record, error) {
	var out *Record
	err := s.settled(func() error {
		own := *head
		own.Steps = nil
		if before := s.redactor.rules.Purged; before != nil {
			s.rest += before.CutHead(&own)
		}
		n, err := apply(s.ctx, s.redactor, &own)
		if err != nil {
			return fmt.Errorf("redact record: %w", err)
		}
		s.rest += n
		if err := s.sweep(&own); err != nil {
			return fmt.Errorf("redact record: %w", err)
		}
		own.Security.Scanned = true
		own.Security.RedactionsApplied += s.rest
		for _, n := range s.counts {
			own.Security.RedactionsApplied += n
		}
		version := Version()
		own.Security.ClassifierVersion = &version
		out = &Record{head: &own, steps: s.steps}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.ahead.end()
	s.steps = nil
	return out, nil
}

// sweep removes every found secret from all steps and from the head.
func (s *Sink) sweep(head *records.Record) error {
	if len(s.redactor.seen) == 0 {
		return nil
	}
	// The longest secret comes first, because one may be the beginning of another.
	secrets := slices.SortedFunc(maps.Keys(s.redactor.seen), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	pairs := make([]string, 0, 2*len(secrets))
	var written [][]byte // the secrets in JSON form
	for _, secret := range secrets {
		quoted := rawjson.AppendString(nil, secret)
		written = append(written, quoted[1:len(quoted)-1])
		pairs = append(pairs, string(quoted[1:len(quoted)-1]), marker(s.redactor.seen[secret]))
	}
	replacer := strings.NewReplacer(pairs...)
	holds := holder(written, replacer)
	err := s.anyHolds(holds)
	if errors.Is(err, errSwept) {
		err = s.sweepSteps(holds, replacer)
	}
	if err != nil {
		return err
	}
	return s.sweepHead(head, replacer)
}

// sweepSteps rewrites the steps without the secrets.
func (s *Sink) sweepSteps(holds func([]byte) bool, replacer *strings.Replacer) error {
	kept := records.NewSpool("")
	step := 0
	err := s.steps.Each(func(raw []byte) error {
		step++
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if !holds(raw) {
			return kept.AppendRaw(raw)
		}
		clean, err := swept(raw, replacer)
		if err != nil {
			return err
		}
		if !bytes.Equal(raw, clean) {
			s.counts[step-1]++
		}
		return kept.AppendRaw(clean)
	})
	if err != nil {
		return errors.Join(err, kept.Close())
	}
	old := s.steps
	s.steps = kept
	return old.Close()
}

func (s *Sink) sweepHead(head *records.Record, replacer *strings.Replacer) error {
	raw, err := records.Encode(head)
	if err != nil {
		return err
	}
	text, err := swept(raw, replacer)
	if err != nil {
		return err
	}
	clean, err := records.Decode(text)
	if err != nil {
		return err
	}
	clean.Steps = nil
	*head = *clean
	return nil
}

// Close frees the sink and its temporary file.
func (s *Sink) Close() error {
	s.ahead.end()
	if s.steps == nil {
		return nil
	}
	return s.steps.Close()
}
