package gitleaks

import (
	"math"
	"strings"
)

// Finding is a secret at bytes Start to End of a text, found by the rule with the id Rule.
type Finding struct {
	Start, End int
	Rule       string
}

// Find finds the secrets of a text. Overlapping findings are all given. The text should be short: the time grows with the
// length faster than linearly, since more rules are called.
func (r *Rules) Find(text string) ([]Finding, error) {
	var found []Finding
	called := r.called(strings.ToLower(text))
	for i, rule := range r.rules {
		if !called[i] {
			continue
		}
		list, err := r.apply(rule, text)
		if err != nil {
			return nil, err
		}
		found = append(found, list...)
	}
	return found, nil
}

// called tells which rules have a keyword in the text.
func (r *Rules) called(lower string) []bool {
	out := make([]bool, len(r.rules))
	for _, i := range r.always {
		out[i] = true
	}
	for at, word := range r.keywords {
		if strings.Contains(lower, word) {
			for _, i := range r.byWord[at] {
				out[i] = true
			}
		}
	}
	return out
}

func (r *Rules) apply(rule *rule, text string) ([]Finding, error) {
	pattern, err := rule.compiled()
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, groups := range pattern.FindAllStringSubmatchIndex(text, -1) {
		start, end := secretOf(rule, groups)
		secret := text[start:end]
		// The whole match may begin or end with the line feed that bounds it.
		secret = strings.Trim(secret, "\n")
		if rule.Entropy != 0 && entropy(secret) <= rule.Entropy {
			continue
		}
		match := strings.Trim(text[groups[0]:groups[1]], "\n")
		allowed, err := r.allowed(rule, secret, match, lineOf(text, groups[0], groups[1]))
		if err != nil {
			return nil, err
		}
		if !allowed && start < end {
			found = append(found, Finding{Start: start, End: end, Rule: rule.ID})
		}
	}
	return found, nil
}

// secretOf is the part of a match that is the secret: the group that the rule names, otherwise the first that holds
// something, otherwise the match.
func secretOf(rule *rule, groups []int) (start, end int) {
	if g := 2 * rule.Group; rule.Group > 0 && len(groups) > g+1 && groups[g] >= 0 {
		return groups[g], groups[g+1]
	}
	if rule.Group == 0 {
		for g := 2; g+1 < len(groups); g += 2 {
			if groups[g] >= 0 && groups[g+1] > groups[g] {
				return groups[g], groups[g+1]
			}
		}
	}
	return groups[0], groups[1]
}

func (r *Rules) allowed(rule *rule, secret, match, line string) (bool, error) {
	for _, lists := range [...][]*allowlist{r.allow, rule.allow} {
		for _, list := range lists {
			if ok, err := list.allows(secret, match, line); ok || err != nil {
				return ok, err
			}
		}
	}
	return false, nil
}

// lineOf gives the whole lines that a match lies in.
func lineOf(text string, start, end int) string {
	from := strings.LastIndexByte(text[:start], '\n') + 1
	if to := strings.IndexByte(text[end:], '\n'); to >= 0 {
		return text[from : end+to]
	}
	return text[from:]
}

// entropy is the Shannon entropy of a text in bits a character, as gitleaks computes it.
func entropy(text string) float64 {
	if text == "" {
		return 0
	}
	counts := map[rune]int{}
	for _, c := range text {
		counts[c]++
	}
	sum := 0.0
	for _, n := range counts {
		p := float64(n) / float64(len(text))
		sum -= p * math.Log2(p)
	}
	return sum
}
