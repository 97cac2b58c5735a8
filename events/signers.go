package events

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/refs"
)

// Signers are those who signed the fetched publications, by the refs, as the last pull found them: of a key
// that git trusts, and of the commit that the ref names today. Whoever has fetched since has to pull for a signer.
func (l *Log) Signers(logs []FetchedLog) map[string]string {
	noted := map[string]struct {
		Commit refs.OID `json:"commit"`
		Signer string   `json:"signer"`
	}{}
	dir := filepath.Join(l.repo.TracesDir(), "seen")
	files, _ := os.ReadDir(dir) // without it nothing was pulled
	for _, f := range files {
		raw, err := refs.ReadFile(filepath.Join(dir, f.Name()))
		if err == nil && bytes.Contains(raw, []byte(`"signer"`)) { // of a thousand writers often none signs
			_ = json.Unmarshal(raw, &noted) // a damaged note is none
		}
	}
	out := map[string]string{}
	for _, f := range logs {
		if n := noted[f.Name()]; n.Signer != "" && n.Commit == f.Tip {
			out[f.Ref] = n.Signer
		}
	}
	return out
}
