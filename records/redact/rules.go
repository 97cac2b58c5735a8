package redact

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/git-trace/git-trace/records"
)

// Rules holds the user's rules: secrets, texts that are not secrets, and names to remove.
type Rules struct {
	Secrets []*regexp.Regexp // the first group of a match, or the whole match, is a secret
	Allowed []*regexp.Regexp // a finding that matches as a whole is not a secret, whatever rule found it
	Names   []string
	Purged  Purged // finds purged text; may be nil
}

// Purged finds text that the user has purged. An allow rule cannot keep such text.
type Purged interface {
	// Find returns the positions of purged text, as pairs of start and end.
	Find(text string) [][2]int
	// CutStep, CutResult and CutHead remove all data about purged files, and return the number of removals. CutStep adds
	// to `calls` the calls whose results must be removed too.
	CutStep(step *records.Step, calls map[string]bool) int
	CutResult(result *records.Observation, calls map[string]bool) int
	CutHead(head *records.Record) int
	// Fingerprint differs between searches for different purged text; "" if nothing was purged.
	Fingerprint() string
}

// purgedRule is the rule for purged text.
const purgedRule = "purged"

// ParseRules reads a file with one rule on each line:
//
//	secret <regular expression>
//	allow <regular expression>
//	name <word>
//
// in RE2 syntax. Empty lines and lines that begin with # are skipped. Any other line is an error, because the user must
// know about a rule that does not work.
func ParseRules(in io.Reader) (Rules, error) {
	var rules Rules
	limited := &io.LimitedReader{R: in, N: maxRules + 1}
	lines := bufio.NewScanner(limited)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		kind, value, _ := strings.Cut(line, " ")
		if err := rules.Add(kind, strings.TrimSpace(value)); err != nil {
			return Rules{}, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return Rules{}, err
	}
	if limited.N == 0 {
		return Rules{}, fmt.Errorf("more than %d bytes", maxRules)
	}
	return rules, nil
}

// maxRules limits the size of a file of rules, in bytes.
const maxRules = 1 << 20

// Add adds a rule of a kind: secret, allow or name.
func (u *Rules) Add(kind, value string) error {
	if value == "" {
		return fmt.Errorf("'%s' without a value", kind)
	}
	switch kind {
	case "name":
		u.Names = append(u.Names, value)
		return nil
	case "secret", "allow":
	default:
		return fmt.Errorf("'%s' is neither secret, allow nor name", kind)
	}
	pattern, err := regexp.Compile(value)
	if err != nil {
		return err
	}
	if kind == "secret" {
		if pattern.MatchString("") {
			return fmt.Errorf("the expression '%s' matches the empty text", value)
		}
		u.Secrets = append(u.Secrets, pattern)
		return nil
	}
	// The expression is anchored, so that a short one does not allow every text that contains a match.
	if pattern, err = regexp.Compile(`^(?:` + value + `)$`); err != nil {
		return err
	}
	u.Allowed = append(u.Allowed, pattern)
	return nil
}

// find finds matches of the user's rules, and purged text.
func (u *Rules) find(text string) []span {
	var found []span
	if u.Purged != nil {
		for _, at := range u.Purged.Find(text) {
			found = append(found, span{start: at[0], end: at[1], rule: purgedRule, whole: true})
		}
	}
	for _, pattern := range u.Secrets {
		for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
			start, end := at[0], at[1]
			if len(at) >= 4 && at[2] >= 0 {
				start, end = at[2], at[3]
			}
			if start < end {
				found = append(found, span{start: start, end: end, rule: "own-rule", whole: true})
			}
		}
	}
	return found
}

// HoldsPurged reports whether an unencoded text contains purged text. Such a text must not be kept anywhere.
func (r *Redactor) HoldsPurged(text string) bool {
	return r.rules.Purged != nil && len(r.rules.Purged.Find(text)) > 0
}

// `allowed` reports whether an allow rule of the user matches a finding.
func (u *Rules) allowed(secret string) bool {
	for _, pattern := range u.Allowed {
		if pattern.MatchString(secret) {
			return true
		}
	}
	return false
}

// fingerprint differs between sets of rules, names and places; "" if all of them are empty.
func (u *Rules) fingerprint(names []string, places []place) string {
	sum := sha256.New()
	for _, list := range [...][]*regexp.Regexp{u.Secrets, u.Allowed} {
		for _, pattern := range list {
			fmt.Fprintf(sum, "%q\n", pattern.String())
		}
		fmt.Fprintln(sum)
	}
	fmt.Fprintf(sum, "%q%q", names, places)
	before := ""
	if u.Purged != nil {
		before = u.Purged.Fingerprint()
		fmt.Fprint(sum, before)
	}
	if len(u.Secrets)+len(u.Allowed)+len(names)+len(places) == 0 && before == "" {
		return ""
	}
	return " own/" + hex.EncodeToString(sum.Sum(nil))[:8]
}
