package redact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/records/redact/gitleaks"
)

// version is raised by each change of this package that changes its findings.
const version = "5"

// Finder finds secrets in a short text.
type Finder interface {
	Find(text string) ([]gitleaks.Finding, error)
}

// ErrPanic reports a panic of the redactor.
var ErrPanic = errors.New("the redactor failed")

// Options say what a redactor removes in addition to its own rules.
type Options struct {
	Names  []string // names of the user, found as whole words; generic ones (root, ubuntu) are ignored
	Hosts  []string // names of the machine; generic ones are ignored
	Trees  []string // work trees: paths in them become relative
	Rules  Rules    // the user's rules
	Finder Finder   // nil for gitleaks' rules
}

// Redactor removes secrets and names from texts. It is not safe for use by several goroutines: each uses its own twin.
type Redactor struct {
	finder Finder
	rules  Rules
	names  []string
	hosts  []string
	places []place
	*patterns
	fingerprint string
	// secrets already found, with their rules: they are removed everywhere
	seen  map[string]string
	clean *clean
	rooms [maxLayers]rooms
	word  reading  // a word that is joined from pieces
	marks []*marks // kept for reuse
}

// rooms holds the memory for the readings of one layer, reused for each text.
type rooms struct{ resolved, unwrapped reading }

// New makes a redactor.
func New(o Options) (*Redactor, error) {
	r := &Redactor{finder: o.Finder, rules: o.Rules, patterns: newPatterns(), seen: map[string]string{}, clean: newClean()}
	if r.finder == nil {
		rules, err := gitleaks.Load()
		if err != nil {
			return nil, fmt.Errorf("make redactor: %w", err)
		}
		r.finder = rules
	}
	r.names = telling(append(slices.Clone(o.Names), o.Rules.Names...))
	r.hosts = hostNames(o.Hosts)
	r.places = placesOf(o.Trees)
	r.fingerprint = o.Rules.fingerprint(slices.Concat(r.names, r.hosts), r.places)
	return r, nil
}

// Twin returns an equal redactor for use by another goroutine. Twins share their list of clean texts, so no text on it
// is searched twice.
func (r *Redactor) Twin() *Redactor {
	twin := *r
	twin.seen, twin.rooms, twin.word = map[string]string{}, [maxLayers]rooms{}, reading{}
	twin.marks = nil
	return &twin
}

// Version names the version of git-trace's rules. It is stored in records.
func Version() string { return "git-trace/" + version + " gitleaks/" + gitleaks.Version }

// Fingerprint differs between redactors with different rules, including the user's names and rules. It must not be
// stored in records: anybody who guesses a name could test whether it is the user's.
func (r *Redactor) Fingerprint() string { return Version() + r.fingerprint }

// Text redacts a text and returns the number of redactions. Paths in work trees become relative but are not counted.
func (r *Redactor) Text(ctx context.Context, text string) (string, int, error) {
	out, n, err := r.guarded(ctx, "", text, prose)
	if err != nil {
		return "", 0, fmt.Errorf("redact text: %w", err)
	}
	return out, n, nil
}

// manner says what a text is searched for.
type manner int

const (
	prose manner = iota // everything
	label               // an id or a name that other data refers to: secrets only
)

// `guarded` calls redact and turns a panic into an error.
func (r *Redactor) guarded(ctx context.Context, name, text string, m manner) (out string, n int, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, n, err = "", 0, fmt.Errorf("%w: %v", ErrPanic, p)
		}
	}()
	if len(text) < leastKept {
		return r.redact(ctx, name, text, m)
	}
	key := r.clean.keyOf(name, text, m)
	if r.clean.holds(key) {
		return text, 0, nil
	}
	out, n, err = r.redact(ctx, name, text, m)
	if err == nil && out == text {
		r.clean.add(key)
	}
	return out, n, err
}

// clean holds the hashes of texts without findings, because many conversations have texts in common. The seeds of the
// hashes are secret, so nobody can make a text with the hash of another.
type clean struct {
	seeds [2]maphash.Seed
	mu    sync.Mutex
	texts map[textKey]struct{}
}

// textKey identifies a text, its name and its manner.
type textKey struct {
	text [2]uint64
	name uint64
	manner
}

func newClean() *clean { return &clean{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}} }

func (c *clean) keyOf(name, text string, m manner) textKey {
	return textKey{
		text: [2]uint64{maphash.String(c.seeds[0], text), maphash.String(c.seeds[1], text)},
		name: maphash.String(c.seeds[0], name), manner: m,
	}
}

func (c *clean) holds(key textKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.texts[key]
	return known
}

func (c *clean) add(key textKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.texts == nil || len(c.texts) >= mostKept {
		c.texts = map[textKey]struct{}{}
	}
	c.texts[key] = struct{}{}
}

// The limits of the clean texts: the least length at which a look-up is quicker than a search, and their number.
const (
	leastKept = 100
	mostKept  = 1 << 16
)

// maxPasses limits the passes over a text: once a secret is removed, text after it may be recognised as a name.
const maxPasses = 4

// `redact` searches and replaces until it finds nothing more. The parameter `name` is the JSON member or the file that
// holds the text, or "".
func (r *Redactor) redact(ctx context.Context, name, text string, m manner) (string, int, error) {
	total := 0
	text = relative(text, r.places)
	for range maxPasses {
		out, n, secrets, err := r.pass(ctx, name, text, m)
		if err != nil {
			return "", 0, err
		}
		text = out
		if total += n; !secrets {
			break
		}
	}
	return text, total, nil
}

// `pass` searches and replaces once, and reports whether it found secrets.
func (r *Redactor) pass(ctx context.Context, name, text string, m manner) (out string, n int, secrets bool, err error) {
	if len(text) < shortest && !r.HoldsPurged(text) {
		return text, 0, false, nil
	}
	found, err := r.secrets(ctx, text, m, 0)
	if err != nil {
		return "", 0, false, err
	}
	called, err := r.called(ctx, name, text)
	if err != nil {
		return "", 0, false, err
	}
	found = append(found, called...)
	if m == prose {
		found = append(found, r.highEntropy(text)...)
	}
	found = besideEscapes(text, found)
	found = slices.DeleteFunc(found, func(s span) bool {
		return s.with == "" && s.rule != purgedRule &&
			r.rules.allowed(text[s.start:s.end])
	})
	found = unmarked(text, found)
	r.remember(text, found)
	out, n = replace(text, found)
	return out, n, slices.ContainsFunc(found, func(s span) bool { return s.with == "" }), nil
}

// besideEscapes narrows spans that begin or end inside an escape, so that JSON stays valid.
func besideEscapes(text string, found []span) []span {
	for i := range found {
		s := &found[i]
		if s.with != "" {
			continue
		}
		if escaping(text, s.start) {
			s.start += escapeLength(text[s.start:]) // after the backslash
		}
		if s.end > s.start && escaping(text, s.end) {
			s.end--
		}
	}
	return slices.DeleteFunc(found, func(s span) bool { return s.start >= s.end })
}

// escaping reports whether the byte before a place is an unescaped backslash.
func escaping(text string, at int) bool {
	n := 0
	for n < at && text[at-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// escapeLength returns the length of an escape, without its backslash.
func escapeLength(text string) int {
	if len(text) >= 5 && text[0] == 'u' {
		if _, ok := number(text[1:5], 16); ok {
			return 5
		}
	}
	return min(1, len(text))
}

// The limits of a member's name, and of a text that may be a secret because of that name, in bytes.
const (
	longestName   = 200
	longestCalled = 4 << 10
)

// `called` finds a text that is a secret only because of its name: in {"api_key": "0f3a…"} neither half is a secret
// alone.
func (r *Redactor) called(ctx context.Context, name, text string) ([]span, error) {
	if name == "" || len(name) > longestName || len(text) > longestCalled {
		return nil, nil
	}
	before := name + ` = "`
	whole := before + text + "\"\n"
	found, err := r.find(ctx, loosen(whole, r.tokens(whole)))
	if err != nil {
		return nil, err
	}
	var out []span
	for _, s := range append(found, r.plain(r.begins.scan(whole), label)...) {
		s.start, s.end = s.start-len(before), min(s.end-len(before), len(text))
		if s.start >= 0 && s.start < s.end {
			out = append(out, s)
		}
	}
	return out, nil
}

// shortest is the length below which a text cannot hold a secret or the path of a home directory.
const shortest = 5

// leastSeen is the least length of a secret that is searched for in other places.
const leastSeen = 10

// `remember` notes the secrets that were found unencoded, so that they are also found in places without a name or form.
func (r *Redactor) remember(text string, found []span) {
	for _, s := range found {
		secret := text[s.start:s.end]
		if s.whole && len(secret) >= leastSeen && len(secret) <= maxSeen && !strings.ContainsAny(secret, " \n\t") {
			r.seen[secret] = s.rule
		}
	}
}

// maxSeen is the greatest length of a secret that is searched for in other places.
const maxSeen = 4096

// span is a part of a text that must be removed.
type span struct {
	start, end int
	rule       string
	with       string // the replacement; "" for the marker with the rule's name
	whole      bool   // the span is the secret itself, not an encoding around it and not a guess
}

// replace replaces the spans in a text and returns the number of replacements. Overlapping spans are merged.
func replace(text string, found []span) (string, int) {
	if len(found) == 0 {
		return text, 0
	}
	slices.SortStableFunc(found, func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	var out strings.Builder
	at, n := 0, 0
	for i := 0; i < len(found); {
		s := found[i]
		for i++; i < len(found) && found[i].start < s.end; i++ {
			if found[i].end > s.end {
				s.end = found[i].end
			}
			if s.with != "" || s.rule == namedRule && found[i].with == "" { // the more specific rule
				s.rule, s.with = found[i].rule, found[i].with
			}
		}
		out.WriteString(text[at:s.start])
		if s.with != "" {
			out.WriteString(s.with)
		} else {
			out.WriteString(marker(s.rule))
		}
		at = s.end
		n++
	}
	out.WriteString(text[at:])
	return out.String(), n
}

// `unmarked` drops spans that touch an existing marker, unless they are much longer than the marker. So a second
// redaction changes nothing.
func unmarked(text string, found []span) []span {
	if !strings.Contains(text, markerStart) {
		return found
	}
	var marks []span
	for from := 0; ; {
		i := strings.Index(text[from:], markerStart)
		if i < 0 {
			break
		}
		start := from + i
		end := start + len(markerStart)
		if close := strings.IndexByte(text[end:min(len(text), end+longestMarker)], ']'); close >= 0 {
			end += close + 1
		}
		marks = append(marks, span{start: start, end: end})
		from = end
	}
	return slices.DeleteFunc(found, func(s span) bool {
		at, _ := slices.BinarySearchFunc(marks, s.start, func(m span, start int) int { return cmp.Compare(m.end, start+1) })
		rest := s.end - s.start
		touches := false
		for ; at < len(marks) && marks[at].start < s.end; at++ {
			touches = true
			if marks[at].start < s.start || marks[at].end > s.end {
				return true
			}
			rest -= marks[at].end - marks[at].start
		}
		return touches && rest < leastToken
	})
}

// longestMarker limits the length of a marker after markerStart, in bytes.
const longestMarker = 100

// markerStart begins every marker.
const markerStart = "[REDACTED"

func marker(rule string) string { return markerStart + ":" + rule + "]" }

// Added returns the rules that changed a text: the parameter `after` has more of their markers than `before`. Names
// leave no marker. If only names were removed, it returns "name".
func Added(before, after []byte) []string {
	count := func(text []byte) map[string]int {
		of := map[string]int{}
		for _, rest := range strings.Split(string(text), markerStart+":")[1:] {
			if rule, _, closed := strings.Cut(rest[:min(len(rest), longestMarker)], "]"); closed {
				of[rule]++
			}
		}
		return of
	}
	had := count(before)
	var out []string
	for rule, n := range count(after) {
		if n > had[rule] {
			out = append(out, rule)
		}
	}
	if slices.Sort(out); len(out) == 0 {
		return []string{"name"}
	}
	return out
}
