package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/records/prices"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/settings"
)

// newRedactor makes the redactor of what is stored, taken in and given away, as the user's configuration asks for it:
// trace.redactFile, a file of rules (without it git-trace/redact in the user's directory of configurations, if it is
// there), and the multi-valued trace.redactSecret, trace.redactAllow and trace.redactName. What was purged from the
// repository is taken out too. Outside repositories (repo is nil) only the file counts. Only the user can loosen the
// rules: a file of the repository is not read.
func newRedactor(ctx context.Context, repo *refs.Repo) (*redact.Redactor, error) {
	var config refs.Config
	if repo != nil {
		var err error
		if config, err = repo.Config(ctx); err != nil {
			return nil, err
		}
	}
	return redactorBy(repo, config)
}

// shownRedactor makes the same for what is only shown. Git is started for the user's rules where they have some: one
// prompt would otherwise cost a process.
func shownRedactor(ctx context.Context, repo *refs.Repo) (*redact.Redactor, error) {
	kept, err := settings.Read(ctx, repo)
	if err != nil {
		return nil, err
	}
	if settings.HasRules(kept) {
		return newRedactor(ctx, repo)
	}
	return redactorBy(repo, refs.Config{})
}

func redactorBy(repo *refs.Repo, config refs.Config) (*redact.Redactor, error) {
	rules, err := redactRules(config)
	if err != nil {
		return nil, fmt.Errorf("read rules of redaction: %w", err)
	}
	if repo != nil {
		before, err := purged.Load(repo)
		if err != nil {
			return nil, err
		}
		rules.Purged = before
	}
	return redact.New(redact.Options{Names: redact.SystemNames(), Rules: rules})
}

func redactRules(config refs.Config) (redact.Rules, error) {
	rules, err := redactFile(config)
	if err != nil {
		return rules, err
	}
	for _, kind := range [...]struct{ key, kind string }{
		{"trace.redactSecret", "secret"}, {"trace.redactAllow", "allow"}, {"trace.redactName", "name"},
	} {
		for _, value := range config.All(kind.key) {
			if err := rules.Add(kind.kind, value); err != nil {
				return rules, fmt.Errorf("%s: %w", kind.key, err)
			}
		}
	}
	return rules, nil
}

func redactFile(config refs.Config) (redact.Rules, error) {
	name, named := config.Get("trace.redactFile")
	if !named {
		dir, err := os.UserConfigDir()
		if err != nil {
			return redact.Rules{}, nil // without such a directory there is no file in it
		}
		name = filepath.Join(dir, "git-trace", "redact")
	}
	file, err := os.Open(expandHome(name))
	if errors.Is(err, fs.ErrNotExist) && !named {
		return redact.Rules{}, nil
	}
	if err != nil {
		return redact.Rules{}, err
	}
	defer file.Close()
	rules, err := redact.ParseRules(file)
	if err != nil {
		return rules, fmt.Errorf("%s: %w", name, err)
	}
	return rules, nil
}

// pricesKey is the configuration key that names a table of prices of the user's own.
const pricesKey = "trace.prices"

// priceTable is the table that trace.prices names; nil for the one that comes with git-trace.
func priceTable(config refs.Config) (*prices.Table, error) {
	name, named := config.Get(pricesKey)
	if !named {
		return nil, nil
	}
	raw, err := os.ReadFile(expandHome(name))
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", pricesKey, name, refs.PathCause(err))
	}
	table, err := prices.Read(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", pricesKey, name, err)
	}
	return table, nil
}

// tableInUse is the table of prices that counts here; nil while the one of the user's own has a fault, which status
// tells.
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

// expandHome resolves a leading ~/ as git does for paths in its configuration.
func expandHome(name string) string {
	if len(name) > 1 && name[0] == '~' && (name[1] == '/' || name[1] == filepath.Separator) {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, name[2:])
		}
	}
	return name
}
