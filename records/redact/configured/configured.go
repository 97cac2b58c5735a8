// Package configured makes the redactor that the user's configuration describes. It redacts what is stored, imported
// and exported.
//
// The rules come from the file of rules that trace.redactFile names. Without that setting, the file is git-trace/redact
// in the user's configuration directory, if it exists. Other rules come from the multi-valued settings
// trace.redactSecret, trace.redactAllow and trace.redactName. The redactor also removes purged data of the repository.
// Only the user can change the rules: no file of the repository is read.
package configured

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/refs"
)

// Redactor makes the redactor for a repository. Outside a repository (repo is nil) only the file of rules is used.
func Redactor(ctx context.Context, repo *refs.Repo) (*redact.Redactor, error) {
	var config refs.Config
	if repo != nil {
		var err error
		if config, err = repo.Config(ctx); err != nil {
			return nil, err
		}
	}
	rules, err := rulesOf(config)
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
	return redact.New(redact.Options{Names: redact.SystemNames(), Hosts: redact.SystemHosts(), Trees: trees(repo),
		Rules: rules})
}

// trees returns the work trees of a repository, with and without resolved symbolic links.
func trees(repo *refs.Repo) (all []string) {
	if repo == nil {
		return nil
	}
	for _, dir := range repo.WorkTrees() {
		all = append(all, dir)
		if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
			all = append(all, real)
		}
	}
	return all
}

func rulesOf(config refs.Config) (redact.Rules, error) {
	rules, err := fileOf(config)
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

func fileOf(config refs.Config) (redact.Rules, error) {
	name, named := config.Path("trace.redactFile")
	if !named {
		dir, err := os.UserConfigDir()
		if err != nil {
			return redact.Rules{}, nil // without a configuration directory there is no file
		}
		name = filepath.Join(dir, "git-trace", "redact")
	}
	file, err := os.Open(name)
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
