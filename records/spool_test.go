package records_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
)

func TestASpoolWritesTheRecordThatEncodeWrites(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"in memory": 100, "in a file": 100_000, "of long lines": 3 << 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spool := records.NewSpool(t.TempDir())
			defer func() { _ = spool.Close() }()
			var collector records.Collector
			for i := range 200 {
				if size > 1<<20 && i == 5 {
					break
				}
				for _, sink := range []records.Sink{spool, &collector} {
					text := fmt.Sprintf("step %d <é> %s", i+1, strings.Repeat("x\n", size/2))
					err := sink.Step(&records.Step{
						StepIndex: i + 1, Role: records.RoleAgent, Content: &text,
						ToolCalls: []records.ToolCall{{ToolCallID: fmt.Sprint("call", i)}},
					})
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			for _, sink := range []records.Sink{spool, &collector} {
				late := "late"
				for _, index := range []int{1, 3} {
					result := records.Observation{SourceCallID: fmt.Sprint("call", index-1), Content: &late}
					if err := errors.Join(sink.Late(index, result), sink.Late(index, result)); err != nil {
						t.Fatal(err)
					}
				}
			}
			head := &records.Record{TraceID: "t", SessionID: "s", Agent: records.Agent{Name: "a"}}
			head.SetMeta("steps", []int{})
			var got bytes.Buffer
			if err := spool.WriteRecord(&got, head); err != nil {
				t.Fatal(err)
			}
			whole := &records.Record{TraceID: "t", SessionID: "s", Agent: records.Agent{Name: "a"}, Steps: collector.Steps}
			whole.SetMeta("steps", []int{})
			want, err := records.Encode(whole)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("got %.300s\nwant %.300s", got.Bytes(), want)
			}
			if *head.ContentHash != *whole.ContentHash || spool.Len() != len(collector.Steps) {
				t.Errorf("hash %s, %d steps; want %s, %d", *head.ContentHash, spool.Len(), *whole.ContentHash, len(collector.Steps))
			}
			if faults := whole.Check(); len(faults) > 0 {
				t.Error(faults)
			}
		})
	}
}

func TestARecordWithADamagedStepIsNotWritten(t *testing.T) {
	t.Parallel()
	for _, damaged := range []int{0, 150, 299} {
		spool := records.NewSpool(t.TempDir())
		for i := range 300 {
			raw := `{"step_index":` + fmt.Sprint(i+1) + `,"content":"` + strings.Repeat("x", 10_000) + `"}`
			if i == damaged {
				raw = raw[:len(raw)-1]
			}
			if err := spool.AppendRaw([]byte(raw)); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		head := &records.Record{TraceID: "t", SessionID: "s", Agent: records.Agent{Name: "a"}}
		if err := spool.WriteRecord(&out, head); err == nil || out.Len() > 0 {
			t.Errorf("step %d: error %v, %d bytes written", damaged+1, err, out.Len())
		}
		if err := spool.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAStepTakesThePlaceOfTheOneThatHadItsNumber(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"in memory": 10, "in a file": 300_000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spool := records.NewSpool(t.TempDir())
			defer func() { _ = spool.Close() }()
			var collector records.Collector
			put := func(index int, text string) {
				for _, sink := range []records.Sink{spool, &collector} {
					body := text + strings.Repeat("x", size)
					if err := sink.Step(&records.Step{StepIndex: index, Role: records.RoleUser, Content: &body}); err != nil {
						t.Fatal(err)
					}
				}
			}
			for i := range 40 {
				put(i+1, fmt.Sprint("old ", i+1))
			}
			if err := spool.Late(30, records.Observation{SourceCallID: "gone"}); err != nil {
				t.Fatal(err)
			}
			for i := 20; i < 35; i++ {
				put(i, fmt.Sprint("new ", i))
			}
			var got []string
			err := spool.Each(func(raw []byte) error {
				step, err := decodeStep(raw)
				got = append(got, strings.TrimRight(*step.Content, "x"))
				if len(step.Observations) > 0 {
					t.Errorf("step %d has an observation", step.StepIndex)
				}
				return err
			})
			if err != nil || len(got) != 34 || len(collector.Steps) != 34 || got[18] != "old 19" || got[19] != "new 20" || got[33] != "new 34" {
				t.Errorf("got %q, %v; %d steps in memory", got, err, len(collector.Steps))
			}
		})
	}
}

// A conversation that is kept in memory is copied once, however long it grows.
func TestASpoolInMemoryGrowsWithoutBeingCopied(t *testing.T) {
	raw := bytes.Repeat([]byte("x"), 1000)
	const steps = 7_000
	per := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			spool := records.NewSpool("")
			for range steps {
				if err := spool.AppendRaw(raw); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	if got, most := per.AllocedBytesPerOp(), int64(steps*(len(raw)+1)*5/4+1<<20); got > most {
		t.Errorf("%d bytes are taken for %d, want %d at most", got, steps*len(raw), most)
	}
}

func decodeStep(raw []byte) (*records.Step, error) {
	step := &records.Step{}
	return step, json.Unmarshal(raw, step)
}
