package gitleaks

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Version is the version of gitleaks from which the rules come.
const Version = "8.30.1"

// rulesJSON is one JSON document with one rule on each line, so that a rule is decoded only when a text needs it.
// Otherwise a process that redacts one prompt would spend most of its time on the rules.
//
//go:embed rules.json
var rulesJSON string

// Rules is the set of gitleaks' rules. Several goroutines may use it.
type Rules struct {
	rules    []*rule
	keywords *keywords
	always   []int // rules without a keyword
	allow    func() ([]*allowlist, error)
}

// storeHead is the part of rules.json before the rules.
type storeHead struct {
	Version    string      `json:"version"`
	Allowlists []storeList `json:"allowlists"`
}

// storeRule is a line of rules.json.
type storeRule struct {
	Keywords   []string    `json:"keywords,omitempty"`
	ID         string      `json:"id"`
	Regex      string      `json:"regex"`
	Group      int         `json:"group,omitempty"`
	Entropy    float64     `json:"entropy,omitempty"`
	Allowlists []storeList `json:"allowlists,omitempty"`
}

// storeList is an allow-list of texts that are not secrets. Target names the text that the expressions are tried on:
// the secret (""), the match or the line. All requires a match of both an expression and a stop word.
type storeList struct {
	All       bool     `json:"all,omitempty"`
	Target    string   `json:"target,omitempty"`
	Regexes   []string `json:"regexes,omitempty"`
	StopWords []string `json:"stop_words,omitempty"`
}

// rule is a rule in its stored form, with its allow-lists and its compiled expression.
type rule struct {
	line    string // a line of rules.json
	generic bool   // the id of the rule is Generic
	decoded sync.Once
	storeRule
	allow   []*allowlist
	cores   []core // each match contains one of them; nil if unknown
	once    sync.Once
	pattern *regexp.Regexp
	err     error // error of decoding
	fault   error // error of compiling
}

type allowlist struct {
	storeList
	once    sync.Once
	regexes []*regexp.Regexp
	err     error
}

// The texts between the head of rules.json and its rules, and at its end.
const (
	beforeRules = ",\n\"rules\":[\n"
	afterRules  = "\n]}\n"
)

// Load reads the keywords of the rules. A rule is decoded and compiled when it is first needed.
func Load() (*Rules, error) {
	head, rest, begun := strings.Cut(rulesJSON, beforeRules)
	list, ended := strings.CutSuffix(rest, afterRules)
	if !begun || !ended {
		return nil, errors.New("load gitleaks rules: there are none")
	}
	r := &Rules{allow: sync.OnceValues(func() ([]*allowlist, error) {
		var set storeHead
		err := json.Unmarshal([]byte(head+"}"), &set)
		return lists(set.Allowlists), err
	})}
	called := map[string][]int{}
	for line := range strings.SplitSeq(list, ",\n") {
		words, id, ok := calledBy(line)
		if !ok {
			return nil, fmt.Errorf("load gitleaks rules: rule %d has an unknown form", len(r.rules)+1)
		}
		for _, word := range words {
			called[word] = append(called[word], len(r.rules))
		}
		if len(words) == 0 {
			r.always = append(r.always, len(r.rules))
		}
		r.rules = append(r.rules, &rule{line: line, generic: id == Generic})
	}
	r.keywords = newKeywords(called)
	return r, nil
}

// calledBy reads the keywords and the id from the start of a line of rules.json. No keyword has a character that JSON
// escapes.
func calledBy(line string) (words []string, id string, ok bool) {
	rest, ok := strings.CutPrefix(line, `{"keywords":["`)
	if ok {
		var list string
		if list, rest, ok = strings.Cut(rest, `"],`); !ok {
			return nil, "", false
		}
		words = strings.Split(list, `","`)
	} else if rest, ok = strings.CutPrefix(line, "{"); !ok {
		return nil, "", false
	}
	if rest, ok = strings.CutPrefix(rest, `"id":"`); !ok {
		return nil, "", false
	}
	id, _, ok = strings.Cut(rest, `"`)
	return words, id, ok
}

func lists(stored []storeList) []*allowlist {
	out := make([]*allowlist, len(stored))
	for i := range stored {
		out[i] = &allowlist{storeList: stored[i]}
	}
	return out
}

// `held` returns the cores of the rule; nil if unknown.
func (r *rule) held() []core {
	r.decoded.Do(func() {
		if r.err = json.Unmarshal([]byte(r.line), &r.storeRule); r.err == nil {
			r.allow, r.cores = lists(r.Allowlists), coresOf(r.Regex, r.Keywords)
		}
	})
	return r.cores
}

// The end of a secret in most rules, and its replacement here: web pages and URLs have other ends.
const (
	endings     = "(?:[\\x60'\"\\s;]|"
	moreEndings = "(?:[\\x60'\"\\s;<>&,)}\\]|]|"
)

func (r *rule) compiled() (*regexp.Regexp, error) {
	r.held()
	r.once.Do(func() {
		if r.fault = r.err; r.err == nil {
			text := r.Regex
			if !r.generic { // it finds calls with arguments
				text = strings.ReplaceAll(text, endings, moreEndings)
			}
			r.pattern, r.fault = regexp.Compile(text)
		}
	})
	if r.fault != nil {
		return nil, fmt.Errorf("gitleaks rule %s: %w", r.ID, r.fault)
	}
	return r.pattern, nil
}

func (a *allowlist) compiled() ([]*regexp.Regexp, error) {
	a.once.Do(func() {
		for _, text := range a.Regexes {
			pattern, err := regexp.Compile(text)
			if err != nil {
				a.err = fmt.Errorf("gitleaks allow-list: %w", err)
				return
			}
			a.regexes = append(a.regexes, pattern)
		}
	})
	return a.regexes, a.err
}

// `allows` reports whether the allow-list says that a finding is not a secret.
func (a *allowlist) allows(secret, match, line string) (bool, error) {
	regexes, err := a.compiled()
	if err != nil {
		return false, err
	}
	target := secret
	switch a.Target {
	case "match":
		target = match
	case "line":
		target = line
	}
	byRegex := false
	for _, pattern := range regexes {
		if target != "" && pattern.MatchString(target) {
			byRegex = true
			break
		}
	}
	byWord := false
	lower := strings.ToLower(secret)
	for _, word := range a.StopWords {
		if strings.Contains(lower, word) {
			byWord = true
			break
		}
	}
	if !a.All {
		return byRegex || byWord, nil
	}
	return (len(regexes) == 0 || byRegex) && (len(a.StopWords) == 0 || byWord), nil
}
