package index

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// `trusted` keeps the fetched logs that trace.trust allows: all, the signed ones, or only the logs that this clone
// wrote under another id.
func (ix *Index) trusted(ctx context.Context, read []events.FetchedLog) ([]events.FetchedLog, error) {
	if len(read) == 0 {
		return nil, nil
	}
	setting, err := "own", error(nil)
	if !ix.alone {
		setting, err = trustSetting(ctx, ix.log.Repo())
	}
	if ix.signed && setting == "all" {
		setting = "signed"
	}
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

// trustSetting returns trace.trust. It asks git only if a file of the user's or of the clone's has the word.
func trustSetting(ctx context.Context, repo *refs.Repo) (string, error) {
	home, _ := refs.ExpandHome("~/.gitconfig")
	files := []string{
		filepath.Join(repo.CommonDir, "config"), home, refs.UserFile("config"), os.Getenv("GIT_CONFIG_GLOBAL"),
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

// Signer returns the name of the signer of all fetched events of a voice, by a key that git trusts; "" for none.
func (ix *Index) Signer(voice string) string {
	if ix.signers == nil {
		ix.signers = map[string]string{}
		by := ix.signedBy()
		for i, s := range ix.sources {
			if i == 0 || len(by) == 0 { // no signature
				continue
			}
			name, known := ix.signers[s.voice.Name]
			if !known {
				name = by[s.copy.Ref()]
			}
			if name != by[s.copy.Ref()] {
				name = ""
			}
			ix.signers[s.voice.Name] = name
		}
	}
	return ix.signers[voice]
}

// signedBy returns the signers of the fetched refs, by ref.
func (ix *Index) signedBy() map[string]string {
	if ix.by == nil {
		if ix.by = ix.log.Signers(ix.fetched); ix.by == nil {
			ix.by = map[string]string{}
		}
	}
	return ix.by
}

// readRemotes reads the names of the configured remotes, and the setting trace.remote. They matter if one id was seen
// on several remotes.
func (ix *Index) readRemotes(ctx context.Context) error {
	if ix.remotes != nil {
		return nil
	}
	config, err := ix.log.Repo().Config(ctx)
	if err != nil {
		return err
	}
	ix.trust, _ = config.Get("trace.remote")
	ix.remotes = []string{}
	for key := range config.Entries() {
		if name, ok := strings.CutPrefix(key, "remote."); ok {
			if name, ok = strings.CutSuffix(name, ".url"); ok {
				ix.remotes = append(ix.remotes, name)
			}
		}
	}
	return nil
}

// Posed names the logs that were left out because they came from no remote of the configuration, and have the id of a
// writer who publishes on one: from a fork, for instance.
func (ix *Index) Posed() []string { return ix.posed }
