package prices_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/prices"
)

func usage(input, output, read, write, hour int64) prices.Usage {
	return prices.Usage{
		TokenUsage:   records.TokenUsage{InputTokens: input, OutputTokens: output, CacheReadTokens: read, CacheWriteTokens: write},
		CacheWrite1H: hour,
	}
}

func TestTheBuiltInTableIsRead(t *testing.T) {
	t.Parallel()
	if table := prices.Default(); len(table.Models) < 20 || table.AsOf == "" || len(table.Sources) == 0 {
		t.Errorf("got %d models of %q", len(table.Models), table.AsOf)
	}
}

func TestTheCostOfAnAnswer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, model string
		usage       prices.Usage
		want        float64
		known       bool
	}{
		{"input and output", "anthropic/claude-sonnet-4-5-20250929", usage(1e6, 1e6, 0, 0, 0), 18, true},
		{"the cache is cheaper to read and dearer to write", "anthropic/claude-sonnet-4-20250514", usage(0, 0, 1e6, 1e6, 0), 4.05, true},
		{"what is kept for an hour costs more", "anthropic/claude-sonnet-4-20250514", usage(0, 0, 0, 1e6, 4e5), 4.65, true},
		{"the longest prefix counts", "anthropic/claude-opus-4-5-20251101", usage(1e6, 0, 0, 0, 0), 5, true},
		{"and a shorter one for its relatives", "anthropic/claude-opus-4-1-20250805", usage(1e6, 0, 0, 0, 0), 15, true},
		{"a cache without a price costs what input costs", "openai/gpt-5-pro", usage(0, 0, 1e6, 0, 0), 15, true},
		{"a prefix ends with a part of the name", "openai/gpt-55", usage(1, 0, 0, 0, 0), 0, false},
		{"or with its version", "openai/gpt-5.9", usage(1, 0, 0, 0, 0), 0, false},
		{"an exact name is no prefix", "anthropic/claude-opus-4-9", usage(1, 0, 0, 0, 0), 0, false},
		{"an exact name is itself", "anthropic/claude-opus-4", usage(1e6, 0, 0, 0, 0), 15, true},
		{"a model that nobody knows has no cost", "acme/model", usage(1, 0, 0, 0, 0), 0, false},
		{"no tokens cost nothing", "acme/model", usage(0, 0, 0, 0, 0), 0, true},
		{"a long prompt costs more, cached tokens included", "google/gemini-3.1-pro-preview", usage(1e5, 0, 2e5, 0, 0), 0.48, true},
		{"one at the limit does not", "google/gemini-3.1-pro-preview", usage(2e5, 0, 0, 0, 0), 0.4, true},
		{"what stands in brackets is no part of the name", "anthropic/claude-opus-5[1m]", usage(1e6, 0, 0, 0, 0), 5, true},
		{"a newer one has its own price", "anthropic/claude-opus-5-5", usage(1e6, 0, 1e6, 0, 0), 4.2, true},
		{"a dearer relative whose price is not known", "openai/gpt-5.5-pro", usage(1, 0, 0, 0, 0), 0, false},
		{"more tokens of an hour than there are", "anthropic/claude-sonnet-4", usage(0, 0, 0, 1e6, 9e6), 6, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, known := prices.Default().Cost(test.model, test.usage)
			if prices.Round(got) != test.want || known != test.known {
				t.Errorf("got %v, %v; want %v, %v", got, known, test.want, test.known)
			}
		})
	}
}

func TestATableOfOnesOwn(t *testing.T) {
	t.Parallel()
	const head = `{"schema":"git-trace.prices/1","as_of":"2026-11-01","models":[`
	table, err := prices.Read([]byte(head + `{"prefix":"acme/","input":1,"output":2}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, known := table.Cost("acme/model", usage(1e6, 1e6, 0, 0, 0)); got != 3 || !known {
		t.Errorf("got %v, %v", got, known)
	}
	for text, want := range map[string]string{
		``:               "EOF",
		`[]`:             "cannot unmarshal array",
		`{}`:             `its schema is "", not "git-trace.prices/1"`,
		`{"schema":"x"}`: `its schema is "x"`,
		`{"schema":"git-trace.prices/1","models":[]}`:                            `as_of is ""`,
		`{"schema":"git-trace.prices/1","as_of":"May 2026"}`:                     `as_of is "May 2026"`,
		head + `{"input":1,"output":1}]}`:                                        `entry 1, "": the prefix is missing`,
		head + `{"prefix":"a","input":1}]}`:                                      `entry 1, "a": output is missing`,
		head + `{"prefix":"a","input":-1,"output":1}]}`:                          "input is negative",
		head + `{"prefix":"a","input":1,"output":1,"cache_read":-1}]}`:           "cache_read is negative",
		head + `{"prefix":"a","input":1,"outptu":1}]}`:                           `unknown field "outptu"`,
		head + `{"prefix":"a","unpriced":true,"input":1}]}`:                      "it is unpriced and has a price",
		head + `{"prefix":"a","input":1,"output":1,"over":-1}]}`:                 "over is negative",
		head + `{"prefix":"a","unpriced":true},{"prefix":"a","unpriced":true}]}`: `entry 2, "a": stands twice`,
	} {
		if _, err := prices.Read([]byte(text)); !errors.Is(err, prices.ErrTable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"schema":"git-trace.prices/1","as_of":"2026-11-01","models":[{"prefix":"acme/","input":1,"output":2,"cache_read":null}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := prices.Read(data)
		if err != nil {
			return
		}
		if cost, known := table.Cost("acme/model", usage(1, 2, 3, 4, 5)); cost < 0 || !known && cost != 0 {
			t.Errorf("a cost of %v", cost)
		}
	})
}
