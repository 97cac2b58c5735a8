package conformance_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records/redact/gitleaks"
	"github.com/spf13/viper"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/report"
)

// rulesFile is what git-trace has of the rules.
const rulesFile = "../../records/redact/gitleaks/rules.json"

// The form of rules.json.
type (
	ruleSet struct {
		Version    string
		Rules      []storeRule
		Allowlists []storeList
	}
	storeRule struct {
		Keywords   []string    `json:"keywords,omitempty"`
		ID         string      `json:"id"`
		Regex      string      `json:"regex"`
		Group      int         `json:"group,omitempty"`
		Entropy    float64     `json:"entropy,omitempty"`
		Allowlists []storeList `json:"allowlists,omitempty"`
	}
	storeList struct {
		All       bool     `json:"all,omitempty"`
		Target    string   `json:"target,omitempty"`
		Regexes   []string `json:"regexes,omitempty"`
		StopWords []string `json:"stop_words,omitempty"`
	}
)

// libraryRules are the rules as the library in go.mod reads its own file.
func libraryRules(t *testing.T) config.Config {
	t.Helper()
	v := viper.New() // gitleaks' own loader uses the global one
	v.SetConfigType("toml")
	if err := v.ReadConfig(strings.NewReader(config.DefaultConfig)); err != nil {
		t.Fatal(err)
	}
	var raw config.ViperConfig
	if err := v.Unmarshal(&raw); err != nil {
		t.Fatal(err)
	}
	cfg, err := raw.Translate()
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// store brings the library's rules into the form of rules.json.
func store(cfg config.Config) ruleSet {
	set := ruleSet{Version: gitleaks.Version, Allowlists: storeLists(cfg.Allowlists)}
	for _, r := range cfg.Rules {
		if r.Regex == nil || r.Path != nil || r.SkipReport || len(r.RequiredRules) > 0 {
			continue
		}
		set.Rules = append(set.Rules, storeRule{
			ID: r.RuleID, Regex: r.Regex.String(), Group: r.SecretGroup, Entropy: r.Entropy, Keywords: r.Keywords,
			Allowlists: storeLists(r.Allowlists),
		})
	}
	sort.Slice(set.Rules, func(i, j int) bool { return set.Rules[i].ID < set.Rules[j].ID })
	return set
}

func storeLists(lists []*config.Allowlist) []storeList {
	var out []storeList
	for _, a := range lists {
		list := storeList{All: a.MatchCondition == config.AllowlistMatchAnd, Target: a.RegexTarget, StopWords: slices.Sorted(slices.Values(a.StopWords))}
		for _, r := range a.Regexes {
			list.Regexes = append(list.Regexes, r.String())
		}
		// A list that also asks for a path or a commit can never hold for a text, which has neither.
		if list.All && len(a.Paths)+len(a.Commits) > 0 || len(list.Regexes)+len(list.StopWords) == 0 {
			continue
		}
		out = append(out, list)
	}
	return out
}

// document writes a set with a rule a line: git-trace decodes a rule when a text calls it.
func document(t *testing.T, set ruleSet) []byte {
	t.Helper()
	encoded := func(v any) []byte {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	rules := make([][]byte, len(set.Rules))
	for i, r := range set.Rules {
		rules[i] = encoded(r)
	}
	return slices.Concat([]byte(`{"version":`), encoded(set.Version), []byte(",\n\"allowlists\":"), encoded(set.Allowlists),
		[]byte(",\n\"rules\":[\n"), bytes.Join(rules, []byte(",\n")), []byte("\n]}\n"))
}

func TestTheRulesAreThoseOfTheLibrary(t *testing.T) {
	t.Parallel()
	want := document(t, store(libraryRules(t)))
	if os.Getenv("UPDATE_RULES") != "" {
		if err := os.WriteFile(rulesFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Error("rules.json is not what the library in go.mod has; make it again with UPDATE_RULES=1 and set Version")
	}
}

// Whoever passes the rules on has to pass on the library's licence.
func TestTheLicenceOfTheRulesIsThatOfTheLibrary(t *testing.T) {
	t.Parallel()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/zricethezav/gitleaks/v8").Output()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(filepath.Join(filepath.Dir(rulesFile), "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Error("the file LICENSE beside rules.json is not the library's")
	}
}

// detector is the library itself.
func detector(t *testing.T) *detect.Detector {
	t.Helper()
	d := detect.NewDetector(libraryRules(t))
	d.IgnoreGitleaksAllow = true
	return d
}

type finding = report.Finding
