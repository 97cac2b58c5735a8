package events

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Signers returns the signers of the fetched publications, by ref, as the last pull found them: only for a key that git
// trusts, and for the commit that the ref names now. After another fetch, a signer is known after the next pull.
func (l *Log) Signers(logs []FetchedLog) map[string]string {
	noted := map[string]struct {
		Commit refs.OID `json:"commit"`
		Signer string   `json:"signer"`
	}{}
	dir := filepath.Join(l.repo.TracesDir(), "seen")
	files, _ := os.ReadDir(dir) // without this directory nothing was pulled
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		if !hasWord(path, `"signer"`) { // of a thousand writers often none signs
			continue
		}
		if raw, err := refs.ReadFile(path); err == nil {
			_ = json.Unmarshal(raw, &noted) // a damaged note counts as missing
		}
	}
	if len(noted) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, f := range logs {
		if n := noted[f.Name()]; n.Signer != "" && n.Commit == f.Tip {
			out[f.Ref] = n.Signer
		}
	}
	return out
}

// hasWord reports whether a file has a word.
func hasWord(path, word string) bool {
	found, before := false, ""
	_ = refs.ReadParts(path, func(part []byte, _ int64) bool {
		found = bytes.Contains(part, []byte(word)) || strings.Contains(before+string(part[:min(len(part), len(word))]), word)
		before += string(part[max(0, len(part)-len(word)):])
		before = before[max(0, len(before)-len(word)):]
		return !found
	})
	return found
}
