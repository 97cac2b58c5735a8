package main

import (
	"context"
	"fmt"
	"os"

	"github.com/git-trace/git-trace/records/prices"
	"github.com/git-trace/git-trace/refs"
)

// pricesKey is the configuration key that names a table of prices of the user's own.
const pricesKey = "trace.prices"

// priceTable returns the table that trace.prices names; nil for the one that comes with git-trace.
func priceTable(config refs.Config) (*prices.Table, error) {
	file, named := config.Path(pricesKey)
	if !named {
		return nil, nil
	}
	name, _ := config.Get(pricesKey) // as the user has it
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", pricesKey, name, refs.PathCause(err))
	}
	table, err := prices.Read(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", pricesKey, name, err)
	}
	return table, nil
}

// tableInUse returns the table of prices in use; nil if the user's own table has a fault, which status reports.
func tableInUse(ctx context.Context, repo *refs.Repo) *prices.Table {
	config, err := repo.Config(ctx)
	if err != nil {
		return nil
	}
	table, err := priceTable(config)
	switch {
	case err != nil:
		return nil
	case table == nil:
		return prices.Default()
	}
	return table
}
