package gitleaks

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Version is the version of gitleaks whose rules these are.
const Version = "8.30.1"

//go:embed rules.json
var rulesJSON []byte

// Rules are the rules of gitleaks, ready to be used by several goroutines.
type Rules struct {
	rules    []*rule
	keywords *keywords
	always   []int // rules that need no keyword
	allow    []*allowlist
}

// ruleSet is the form of rules.json.
type ruleSet struct {
	Version    string      `json:"version"`
	Rules      []storeRule `json:"rules"`
	Allowlists []storeList `json:"allowlists"`
}

type storeRule struct {
	ID         string      `json:"id"`
	Regex      string      `json:"regex"`
	Group      int         `json:"group,omitempty"`
	Entropy    float64     `json:"entropy,omitempty"`
	Keywords   []string    `json:"keywords,omitempty"`
	Allowlists []storeList `json:"allowlists,omitempty"`
}

// storeList allows what looks like a secret. Target is what the expressions are tried on: the secret (""), the match or
// the line. All asks for an expression and a stop word both.
type storeList struct {
	All       bool     `json:"all,omitempty"`
	Target    string   `json:"target,omitempty"`
	Regexes   []string `json:"regexes,omitempty"`
	StopWords []string `json:"stop_words,omitempty"`
}

type rule struct {
	storeRule
	allow   []*allowlist
	once    sync.Once
	pattern *regexp.Regexp
	err     error
}

type allowlist struct {
	storeList
	once    sync.Once
	regexes []*regexp.Regexp
	err     error
}

// Load reads the rules. Their expressions are compiled when they are first needed.
func Load() (*Rules, error) {
	var set ruleSet
	if err := json.Unmarshal(rulesJSON, &set); err != nil {
		return nil, fmt.Errorf("load gitleaks rules: %w", err)
	}
	r := &Rules{allow: lists(set.Allowlists)}
	called := map[string][]int{}
	for i := range set.Rules {
		r.rules = append(r.rules, &rule{storeRule: set.Rules[i], allow: lists(set.Rules[i].Allowlists)})
		if len(set.Rules[i].Keywords) == 0 {
			r.always = append(r.always, i)
		}
		for _, word := range set.Rules[i].Keywords {
			called[word] = append(called[word], i)
		}
	}
	if len(r.rules) == 0 {
		return nil, fmt.Errorf("load gitleaks rules: there are none")
	}
	r.keywords = newKeywords(called)
	return r, nil
}

func lists(stored []storeList) []*allowlist {
	out := make([]*allowlist, len(stored))
	for i := range stored {
		out[i] = &allowlist{storeList: stored[i]}
	}
	return out
}

// Check compiles every expression, so that a rule that cannot be used is known before a text needs it.
func (r *Rules) Check() error {
	for _, rule := range r.rules {
		if _, err := rule.compiled(); err != nil {
			return err
		}
		for _, list := range rule.allow {
			if _, err := list.compiled(); err != nil {
				return err
			}
		}
	}
	for _, list := range r.allow {
		if _, err := list.compiled(); err != nil {
			return err
		}
	}
	return nil
}

func (r *rule) compiled() (*regexp.Regexp, error) {
	r.once.Do(func() { r.pattern, r.err = regexp.Compile(r.Regex) })
	if r.err != nil {
		return nil, fmt.Errorf("gitleaks rule %s: %w", r.ID, r.err)
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

// allows tells whether the list takes a finding for none.
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
