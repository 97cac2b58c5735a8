package events

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

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
		raw, err := refs.ReadFile(filepath.Join(dir, f.Name()))
		if err == nil && bytes.Contains(raw, []byte(`"signer"`)) { // of a thousand writers often none signs
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
