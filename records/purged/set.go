package purged

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/zeebo/blake3"

	"github.com/git-trace/git-trace/records/rawjson"
	"github.com/git-trace/git-trace/refs"
)

// schema names the form of the rules file.
const schema = "git-trace.purge-rules/1"

// ErrRules reports rules that cannot be applied.
var ErrRules = errors.New("the rules of earlier purges cannot be applied")

// Rule describes one purged text, expression or path.
type Rule struct {
	ID         string  `json:"id"`
	Prints     []print `json:"prints,omitempty"`     // fingerprints of a text, in its possible encodings
	Expression string  `json:"expression,omitempty"` // RE2
	Path       string  `json:"path,omitempty"`       // relative to the root of the work tree
}

// Set is a set of rules. Several goroutines may search with it, but only one may change it.
type Set struct {
	key   []byte
	rules []Rule

	finder      *finder
	expressions []*regexp.Regexp
}

// stored is the content of the rules file.
type stored struct {
	Schema string `json:"schema"`
	Key    string `json:"key"` // identifies the key of the prints
	Rules  []Rule `json:"rules"`
}

func dir(repo *refs.Repo) string { return filepath.Join(repo.TracesDir(), "purge") }

// Path returns the path of a repository's rules file.
func Path(repo *refs.Repo) string { return filepath.Join(dir(repo), "rules") }

// Load reads the rules of a repository. Without rules, the set is empty and needs no key.
func Load(repo *refs.Repo) (*Set, error) {
	raw, err := os.ReadFile(Path(repo))
	if errors.Is(err, fs.ErrNotExist) {
		return &Set{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRules, err)
	}
	var file stored
	if err := json.Unmarshal(raw, &file); err != nil || file.Schema != schema {
		return nil, fmt.Errorf("%w: %s is damaged", ErrRules, Path(repo))
	}
	s := &Set{rules: file.Rules}
	if s.key, err = findKey(repo, file.Key); err != nil {
		return nil, fmt.Errorf("%w: %w; without %s conversations are recorded as they are", ErrRules, err, Path(repo))
	}
	if err := s.compile(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrRules, Path(repo), err)
	}
	return s, nil
}

// Stamp returns a text that changes with the rules of a repository; "" if there are none.
func Stamp(repo *refs.Repo) string {
	raw, err := os.ReadFile(Path(repo))
	if err != nil {
		return ""
	}
	sum := blake3.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

// Save writes the rules.
func (s *Set) Save(repo *refs.Repo) error {
	if len(s.rules) == 0 {
		return nil
	}
	if err := s.Prepare(repo); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(stored{schema, keyName(s.key), s.rules}, "", "  ")
	if err != nil {
		return err
	}
	return refs.WriteFileDurable(Path(repo), append(raw, '\n'), 0o600)
}

// New returns an empty set with the key of the repository's rules, so that texts can be added.
func New(repo *refs.Repo) (*Set, error) {
	s, err := Load(repo)
	if err == nil {
		err = s.Prepare(repo)
	}
	if err != nil {
		return nil, err
	}
	return &Set{key: s.key}, nil
}

// Prepare gives the user's key to a set without a key, so that texts can be added. It makes the key if necessary.
func (s *Set) Prepare(repo *refs.Repo) (err error) {
	if s.key == nil {
		s.key, err = currentKey(repo)
	}
	return err
}

// AddText adds a text, its form in a JSON string, and its base64 forms. It returns the id of the rule, even if the text
// was already known.
func (s *Set) AddText(text string) (string, error) {
	forms := []string{text}
	quoted := rawjson.AppendString(nil, text)
	if escaped := string(quoted[1 : len(quoted)-1]); escaped != text {
		forms = append(forms, escaped)
	}
	var rule Rule
	for _, form := range append(forms, base64Forms(text)...) {
		p, err := printOf(s.key, form)
		if err != nil {
			return "", err
		}
		rule.Prints = append(rule.Prints, p)
	}
	rule.ID = rule.Prints[0].Strong
	return rule.ID, s.add(rule)
}

// leastEncoded is the least number of base64 letters that are searched for: fewer letters occur by chance.
const leastEncoded = 8

// base64Forms returns the parts of a text's base64 encoding that do not depend on the surrounding bytes. There are
// three forms, because the text may begin at any of three positions in a group of bytes. All have the same length,
// because each length needs a separate search.
func base64Forms(text string) []string {
	length := (len(text)*8 - 4) / 6
	if length < leastEncoded {
		return nil
	}
	var out []string
	for before := range 3 {
		all := base64.RawStdEncoding.EncodeToString(append(make([]byte, before), text...))
		first := (before*8 + 5) / 6
		form := all[first : first+length]
		out = append(out, form)
		if other := strings.NewReplacer("+", "-", "/", "_").Replace(form); other != form {
			out = append(out, other)
		}
	}
	return out
}

func (s *Set) AddExpression(expression string) (string, error) {
	sum := blake3.Sum256([]byte("expression\x00" + expression))
	rule := Rule{ID: hex.EncodeToString(sum[:16]), Expression: expression}
	return rule.ID, s.add(rule)
}

func (s *Set) add(rule Rule) error {
	if slices.ContainsFunc(s.rules, func(r Rule) bool { return r.ID == rule.ID }) {
		return nil
	}
	s.rules = append(slices.Clone(s.rules), rule)
	return s.compile()
}

// `With` returns a set with the rules of this set and the rules of another that have one of the ids. Both sets must
// have the same key, or one of them no rules.
func (s *Set) With(other *Set, ids []string) (*Set, error) {
	out := &Set{key: s.key, rules: slices.Clone(s.rules)}
	if len(s.rules) == 0 || s.key == nil {
		out.key = other.key
	}
	for _, rule := range other.rules {
		if !slices.Contains(ids, rule.ID) || slices.ContainsFunc(out.rules, func(r Rule) bool { return r.ID == rule.ID }) {
			continue
		}
		if len(rule.Prints) > 0 && !slices.Equal(out.key, other.key) {
			return nil, fmt.Errorf("%w: they have another key", ErrRules)
		}
		out.rules = append(out.rules, rule)
	}
	return out, out.compile()
}

// IDs returns the ids of the rules.
func (s *Set) IDs() []string {
	var out []string
	for _, rule := range s.rules {
		out = append(out, rule.ID)
	}
	return out
}

func (s *Set) Empty() bool { return s == nil || len(s.rules) == 0 }

func (s *Set) compile() error {
	var prints []print
	s.expressions = nil
	for _, rule := range s.rules {
		prints = append(prints, rule.Prints...)
		if rule.Expression == "" {
			continue
		}
		compiled, err := regexp.Compile(rule.Expression)
		if err != nil {
			return fmt.Errorf("an expression: %w", err)
		}
		s.expressions = append(s.expressions, compiled)
	}
	var err error
	s.finder, err = newFinder(s.key, prints)
	return err
}

// Find returns the positions of purged text, as pairs of start and end; they may overlap.
func (s *Set) Find(text string) [][2]int {
	if s.Empty() {
		return nil
	}
	out := s.finder.find(text, false)
	for _, expression := range s.expressions {
		for _, at := range expression.FindAllStringIndex(text, -1) {
			if at[0] < at[1] {
				out = append(out, [2]int(at))
			}
		}
	}
	return out
}

// Holds reports whether a text contains purged text.
func (s *Set) Holds(text string) bool {
	if s.Empty() {
		return false
	}
	for _, expression := range s.expressions {
		if expression.MatchString(text) {
			return true
		}
	}
	return len(s.finder.find(text, true)) > 0
}

// Fingerprint differs between sets; "" for the empty set.
func (s *Set) Fingerprint() string {
	if s.Empty() {
		return ""
	}
	ids := s.IDs()
	slices.Sort(ids)
	sum := blake3.Sum256([]byte(strings.Join(ids, "\n")))
	return hex.EncodeToString(sum[:4])
}
