package prices

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/git-trace/git-trace/records"
)

// Schema names the form of a table.
const Schema = "git-trace.prices/1"

// ErrTable reports an invalid table.
var ErrTable = errors.New("not a table of prices")

//go:embed prices.json
var builtin []byte

// Table is a table of prices.
type Table struct {
	Schema  string   `json:"schema"`
	AsOf    string   `json:"as_of"` // the day of the prices, such as 2026-10-16
	Comment string   `json:"comment"`
	Sources []string `json:"sources"` // pages with the prices
	Models  []Price  `json:"models"`
}

// Price is the price of models whose names begin with Prefix, in US dollars per million tokens.
type Price struct {
	Prefix       string   `json:"prefix"`   // provider/model
	Exact        bool     `json:"exact"`    // Prefix is the whole name: newer models with it have other prices
	Over         int64    `json:"over"`     // only for prompts with more tokens than this, cached ones included
	Unpriced     bool     `json:"unpriced"` // the price of these models is unknown, although a shorter prefix has one
	Input        *float64 `json:"input"`
	Output       *float64 `json:"output"`
	CacheRead    *float64 `json:"cache_read"`     // like Input if missing
	CacheWrite   *float64 `json:"cache_write"`    // like Input if missing
	CacheWrite1H *float64 `json:"cache_write_1h"` // like CacheWrite if missing
}

// Usage has the numbers of tokens that are paid for. CacheWrite1H is the part of CacheWriteTokens that is cached for an
// hour.
type Usage struct {
	records.TokenUsage
	CacheWrite1H int64
}

// Default is git-trace's own table.
var Default = sync.OnceValue(func() *Table {
	table, err := Read(builtin)
	if err != nil {
		return &Table{} // a test checks that the table is valid
	}
	return table
})

// Read decodes a table. An unknown member is an error, because it may be a misspelt price.
func Read(data []byte) (*Table, error) {
	table := &Table{}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(table); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTable, err)
	}
	if table.Schema != Schema {
		return nil, fmt.Errorf("%w: its schema is %.40q, not %q", ErrTable, table.Schema, Schema)
	}
	if _, err := time.Parse(time.DateOnly, table.AsOf); err != nil {
		return nil, fmt.Errorf("%w: as_of is %.40q, not a day like 2026-10-16", ErrTable, table.AsOf)
	}
	type key struct {
		prefix string
		over   int64
	}
	seen := map[key]bool{}
	for i := range table.Models {
		price := &table.Models[i]
		fault := price.fault()
		if at := (key{price.Prefix, price.Over}); fault == "" && seen[at] {
			fault = "stands twice"
		} else {
			seen[at] = true
		}
		if fault != "" {
			return nil, fmt.Errorf("%w: entry %d, %.60q: %s", ErrTable, i+1, price.Prefix, fault)
		}
	}
	return table, nil
}

// fault describes the error of an entry; "" if there is none.
func (p *Price) fault() string {
	if p.Prefix == "" {
		return "the prefix is missing"
	}
	if p.Over < 0 {
		return "over is negative"
	}
	for _, one := range []struct {
		name  string
		price *float64
		must  bool
	}{
		{"input", p.Input, true}, {"output", p.Output, true}, {"cache_read", p.CacheRead, false},
		{"cache_write", p.CacheWrite, false},
		{"cache_write_1h", p.CacheWrite1H, false},
	} {
		switch {
		case one.price == nil && one.must && !p.Unpriced:
			return one.name + " is missing"
		case one.price != nil && p.Unpriced:
			return "it is unpriced and has a price"
		case one.price != nil && *one.price < 0:
			return one.name + " is negative"
		}
	}
	return ""
}

// Cost returns the cost of one answer's tokens; false if the table does not have the model. Zero tokens cost nothing
// for any model.
func (t *Table) Cost(model string, u Usage) (float64, bool) {
	if u.TokenUsage == (records.TokenUsage{}) {
		return 0, true
	}
	price := t.find(model, u.InputTokens+u.CacheReadTokens+u.CacheWriteTokens)
	if price == nil || price.Unpriced {
		return 0, false
	}
	input, output := *price.Input, *price.Output
	read := or(price.CacheRead, input)
	write := or(price.CacheWrite, input)
	long := or(price.CacheWrite1H, write)
	longTokens := min(max(u.CacheWrite1H, 0), u.CacheWriteTokens)
	sum := float64(u.InputTokens)*input + float64(u.OutputTokens)*output + float64(u.CacheReadTokens)*read +
		float64(u.CacheWriteTokens-longTokens)*write + float64(longTokens)*long
	return sum / 1e6, true
}

func or(price *float64, other float64) float64 {
	if price == nil {
		return other
	}
	return *price
}

// find returns the entry with the longest matching prefix; of several, the entry for prompts of this length. A prefix
// does not match if a digit or a dot follows: gpt-5 does not match gpt-55 or gpt-5.5. A part in brackets after the name
// is ignored.
func (t *Table) find(model string, prompt int64) *Price {
	var found *Price
	for i := range t.Models {
		price := &t.Models[i]
		rest, fits := strings.CutPrefix(model, price.Prefix)
		if !fits || prompt <= price.Over && price.Over > 0 {
			continue
		}
		if rest != "" && rest[0] != '[' && (price.Exact || rest[0] == '.' || '0' <= rest[0] && rest[0] <= '9') {
			continue
		}
		if found == nil || len(price.Prefix) > len(found.Prefix) || len(price.Prefix) == len(found.Prefix) &&
			price.Over > found.Over {
			found = price
		}
	}
	return found
}

// Round rounds a cost to millionths of a dollar, as it is recorded.
func Round(cost float64) float64 { return math.Round(cost*1e6) / 1e6 }
