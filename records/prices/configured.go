package prices

import (
	"context"
	"fmt"
	"os"

	"github.com/git-trace/git-trace/refs"
)

// Key is the configuration key for the user's own table.
const Key = "trace.prices"

// Configured returns the table that trace.prices names; without that setting, git-trace's table.
func Configured(config refs.Config) (*Table, error) {
	file, named := config.Path(Key)
	if !named {
		return Default(), nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		err = refs.PathCause(err)
	} else if table, faulty := Read(raw); faulty == nil {
		return table, nil
	} else {
		err = faulty
	}
	name, _ := config.Get(Key) // in the user's spelling
	return nil, fmt.Errorf("%s: %s: %w", Key, name, err)
}

// InUse returns the table in use. It returns nil if the user's table is invalid; git trace status reports the error.
func InUse(ctx context.Context, repo *refs.Repo) *Table {
	config, err := repo.Config(ctx)
	if err != nil {
		return nil
	}
	table, err := Configured(config)
	if err != nil {
		return nil
	}
	return table
}
