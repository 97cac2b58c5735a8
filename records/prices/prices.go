package prices

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/records"
)

// Schema names the form of a table.
const Schema = "git-trace.prices/1"

// ErrTable reports a table that is not one.
var ErrTable = errors.New("not a table of prices")

//go:embed prices.json
var builtin []byte

// Table is a table of prices.
type Table struct {
	Schema string  `json:"schema"`
	AsOf   string  `json:"as_of"`
	Models []Price `json:"models"`
}

// Price is what models cost whose name begins with Prefix, in US dollars for a million tokens.
type Price struct {
	Prefix       string   `json:"prefix"` // provider/model
	Exact        bool     `json:"exact"`  // the whole name, not a prefix: newer models of the name have other prices
	Input        float64  `json:"input"`
	Output       float64  `json:"output"`
	CacheRead    *float64 `json:"cache_read"`     // like Input when absent
	CacheWrite   *float64 `json:"cache_write"`    // like Input when absent
	CacheWrite1H *float64 `json:"cache_write_1h"` // like CacheWrite when absent
}

// Usage is what is paid for. CacheWrite1H is the part of CacheWriteTokens that is kept for an hour.
type Usage struct {
	records.TokenUsage
	CacheWrite1H int64
}

// Default is the table that comes with git-trace.
var Default = sync.OnceValue(func() *Table {
	table, err := Read(builtin)
	if err != nil {
		return &Table{} // a test holds that it is read
	}
	return table
})

// Read reads a table.
func Read(data []byte) (*Table, error) {
	table := &Table{}
	if err := json.Unmarshal(data, table); err != nil {
		return nil, fmt.Errorf("read prices: %w", err)
	}
	if table.Schema != Schema {
		return nil, fmt.Errorf("read prices: %w: its schema is %.40q", ErrTable, table.Schema)
	}
	for _, price := range table.Models {
		if price.Prefix == "" || price.Input < 0 || price.Output < 0 || negative(price.CacheRead) || negative(price.CacheWrite) || negative(price.CacheWrite1H) {
			return nil, fmt.Errorf("read prices: %w: the entry %.60q", ErrTable, price.Prefix)
		}
	}
	return table, nil
}

func negative(price *float64) bool { return price != nil && *price < 0 }

// Cost is what the tokens of one answer cost; false when the table does not know the model. No tokens cost nothing,
// whatever the model.
func (t *Table) Cost(model string, u Usage) (float64, bool) {
	if u.TokenUsage == (records.TokenUsage{}) {
		return 0, true
	}
	price := t.find(model)
	if price == nil {
		return 0, false
	}
	read := or(price.CacheRead, price.Input)
	write := or(price.CacheWrite, price.Input)
	long := or(price.CacheWrite1H, write)
	longTokens := min(max(u.CacheWrite1H, 0), u.CacheWriteTokens)
	sum := float64(u.InputTokens)*price.Input + float64(u.OutputTokens)*price.Output + float64(u.CacheReadTokens)*read +
		float64(u.CacheWriteTokens-longTokens)*write + float64(longTokens)*long
	return sum / 1e6, true
}

func or(price *float64, other float64) float64 {
	if price == nil {
		return other
	}
	return *price
}

// find gives the entry with the longest prefix. A prefix ends where a part of the name ends: gpt-5 is no price of gpt-55 and
// none of gpt-5.5.
func (t *Table) find(model string) *Price {
	var found *Price
	for i := range t.Models {
		price := &t.Models[i]
		rest, fits := strings.CutPrefix(model, price.Prefix)
		if !fits || rest != "" && (price.Exact || rest[0] == '.' || '0' <= rest[0] && rest[0] <= '9') {
			continue
		}
		if found == nil || len(price.Prefix) > len(found.Prefix) {
			found = price
		}
	}
	return found
}

// Round gives a cost as it is recorded: whole millionths of a dollar.
func Round(cost float64) float64 { return math.Round(cost*1e6) / 1e6 }
