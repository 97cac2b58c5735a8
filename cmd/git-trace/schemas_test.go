package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/trail"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/testing/schemas"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/report/diff"
	"github.com/git-trace/git-trace/report/figures"
	"github.com/git-trace/git-trace/report/health"
	"github.com/git-trace/git-trace/report/shared"
	"github.com/git-trace/git-trace/report/span"
	"github.com/git-trace/git-trace/report/why"
	"github.com/git-trace/git-trace/upkeep/capsule"
	"github.com/git-trace/git-trace/upkeep/intake"
)

// answerTypes are the types of answers, by the names of their schemas.
var answerTypes = map[string]reflect.Type{
	"audit-1": reflect.TypeFor[span.Audit](),
	"blame-1": reflect.TypeFor[blame.LinesJSON](), "blame-functions-1": reflect.TypeFor[blame.FunctionsJSON](),
	"blame-runs-1": reflect.TypeFor[blame.RunsJSON](),
	"capsule-1":    reflect.TypeFor[capsule.Capsule](), "check-1": reflect.TypeFor[checkedRange](), "checkpoint-1": reflect.TypeFor[signedCheckpoint](),
	"compare-1": reflect.TypeFor[answers.Compare](), "config-1": reflect.TypeFor[configTold](),
	"diff-1": reflect.TypeFor[diff.Document](), "doctor-1": reflect.TypeFor[health.Doctor](), "gc-1": reflect.TypeFor[gcReport](),
	"graph-1": reflect.TypeFor[graph.Document](), "import-1": reflect.TypeFor[intake.Imported](), "init-1": reflect.TypeFor[initTold](),
	"log-1": reflect.TypeFor[answers.Log](), "pull-1": reflect.TypeFor[pullJSON](), "purge-1": reflect.TypeFor[purgeJSON](),
	"push-1": reflect.TypeFor[shared.Push](), "reconcile-1": reflect.TypeFor[reconciliation](), "record-1": reflect.TypeFor[recordReport](),
	"report-1": reflect.TypeFor[span.Report](), "restore-1": reflect.TypeFor[restored](), "resume-1": reflect.TypeFor[resumed](),
	"search-1": reflect.TypeFor[answers.Search](), "show-1": reflect.TypeFor[answers.Show](), "stats-1": reflect.TypeFor[figures.Stats](),
	"status-1": reflect.TypeFor[answers.Status](), "track-1": reflect.TypeFor[trail.Document](), "verify-1": reflect.TypeFor[answers.Verify](),
	"verify-attestation-1": reflect.TypeFor[attested](), "verify-fetched-1": reflect.TypeFor[answers.Fetched](), "why-1": reflect.TypeFor[why.Document](),
}

// formedTypes have a schema by their text.
var formedTypes = map[string]string{
	"refs.OID":        `{"type": "string", "pattern": "^([0-9a-f]{40}|[0-9a-f]{64})$"}`,
	"events.PatchID":  `{"type": "string", "pattern": "^[0-9a-f]{32}$"}`,
	"events.ID":       `{"type": "string", "pattern": "^b3:[0-9a-f]{64}$"}`,
	"time.Time":       `{"type": "string", "format": "date-time"}`,
	"records.Step":    `{"$ref": "trace-record-0.3.0.schema.json#/$defs/Step"}`,
	"json.RawMessage": `{}`,
}

// fills decodes what a command printed with the type of its answer, which must have every member.
func fills(t *testing.T, name, out string) {
	t.Helper()
	form, is := answerTypes[name+"-1"]
	if !is {
		return
	}
	decoder := json.NewDecoder(strings.NewReader(out))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(reflect.New(form).Interface()); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

const wordsFile = "../../internal/testing/schemas/words.json"

// The schemas of docs/schema are made from the types that commands fill and others decode. GITTRACE_UPDATE=1 writes them.
func TestSchemasAreThoseOfTheTypes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(wordsFile)
	if err != nil {
		t.Fatal(err)
	}
	w := schemas.Writer{Types: formedTypes}
	if err := json.Unmarshal(text, &w.Words); err != nil {
		t.Fatal(err)
	}
	for name, form := range answerTypes {
		made, err := w.Schema(name, form)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(schemaDir, name+".schema.json")
		if os.Getenv("GITTRACE_UPDATE") != "" {
			if err := os.WriteFile(file, made, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, made) {
			t.Errorf("%s is not what its type has: GITTRACE_UPDATE=1 writes it", file)
		}
	}
}
