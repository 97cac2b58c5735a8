package index

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// trusted leaves those of the fetched logs that trace.trust lets in: all, the signed ones, or none but what this clone
// wrote itself under another id.
func (ix *Index) trusted(ctx context.Context, read []events.FetchedLog) ([]events.FetchedLog, error) {
	if len(read) == 0 {
		return nil, nil
	}
	setting, err := trustSetting(ctx, ix.log.Repo())
	if err != nil || setting == "all" {
		return read, err
	}
	var signed map[string]string
	switch setting {
	case "signed":
		signed = ix.log.Signers(read)
	case "own":
	default:
		note := fmt.Sprintf("trace.trust: %.40q is none of all, signed and own; it counts as own", setting)
		ix.notes = append(ix.notes, note)
	}
	return slices.DeleteFunc(read, func(f events.FetchedLog) bool { return !f.Aside && signed[f.Ref] == "" }), nil
}

// trustSetting is trace.trust. Git is asked for it only where a file of the user's or of the clone has the word.
func trustSetting(ctx context.Context, repo *refs.Repo) (string, error) {
	home, _ := os.UserHomeDir()
	xdg := cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	files := []string{
		filepath.Join(repo.CommonDir, "config"), filepath.Join(home, ".gitconfig"), filepath.Join(xdg, "git", "config"),
		os.Getenv("GIT_CONFIG_GLOBAL"),
	}
	if !slices.ContainsFunc(files, func(name string) bool {
		raw, err := os.ReadFile(name)
		return err == nil && bytes.Contains(bytes.ToLower(raw), []byte("trust"))
	}) {
		return "all", nil
	}
	config, err := repo.Config(ctx)
	if err != nil {
		return "", err
	}
	value, _ := config.Get("trace.trust")
	return cmp.Or(value, "all"), nil
}

// Signer is the name that all that was fetched of a writer is signed with, by a key that git trusts; "" for none.
func (ix *Index) Signer(writer string) string {
	if ix.signers == nil {
		ix.signers = map[string]string{}
		by := ix.log.Signers(ix.fetched)
		for i := range ix.fetched {
			if len(by) == 0 { // nobody signs
				break
			}
			f := &ix.fetched[i]
			name, known := ix.signers[f.Writer]
			if known && name != by[f.Ref] {
				by[f.Ref] = ""
			}
			ix.signers[f.Writer] = by[f.Ref]
		}
	}
	return ix.signers[writer]
}
