package gitleaks

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Finding is a secret: text[Start:End], found by the rule with the id Rule.
type Finding struct {
	Start, End int
	Rule       string
}

// Find finds the secrets in a text. It returns all findings, overlapping ones too. It tries a rule's expression only on
// the lines around the rule's keywords.
func (r *Rules) Find(text string) ([]Finding, error) {
	var found []Finding
	for _, p := range r.called(text) {
		list, err := r.apply(r.rules[p.rule], text, p)
		if err != nil {
			return nil, err
		}
		found = append(found, list...)
	}
	return found, nil
}

// part is a range of a text in which a rule may match. The field `sure` says that a finding is possible: other parts
// are searched only together with such a part.
type part struct {
	rule, start, end int
	sure             bool
	from             int // a match begins here or later
}

// hit is an occurrence of a rule's keyword in a text. The field `sure` says that the text around the keyword can belong
// to a match.
type hit struct {
	rule, start, end int
	sure             bool
}

// `called` returns the parts of the text around keywords, sorted by rule and position.
func (r *Rules) called(text string) []part {
	var out []part
	for _, rule := range r.always {
		out = append(out, part{rule: rule, end: len(text), sure: true})
	}
	var hits []hit
	odd, known := false, false // a match may lack a keyword
	r.keywords.find(text, func(start int, w *word) {
		end := start + len(w.text)
		for _, rule := range w.rules {
			if r.rules[rule].generic {
				near, _ := around(text, start, end)
				if may, name := maySet(text[end:near.end]); may {
					near.rule, near.sure, near.from = rule, !name, beforeWord(text, start)
					out = append(out, near)
				}
				continue
			}
			h := hit{rule: rule, start: start, end: end}
			cores := r.rules[rule].held()
			if h.sure = cores == nil || mayMatch(cores, text, start, w.text); !h.sure && !known {
				odd, known = folded(text), true
			}
			h.sure = h.sure || odd
			hits = append(hits, h)
		}
	})
	out = slices.DeleteFunc(merged(append(out, partsOf(text, hits)...)), func(p part) bool { return !p.sure })
	for i := range out {
		out[i].start = max(out[i].start, out[i].from)
	}
	return out
}

// partsOf returns, for each rule, the merged parts around neighbouring hits, if one of the hits is sure.
func partsOf(text string, hits []hit) []part {
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(a.rule-b.rule, a.start-b.start) })
	var out []part
	for len(hits) > 0 {
		n := 1
		for n < len(hits) && hits[n].rule == hits[0].rule {
			n++
		}
		ofRule := hits[:n]
		hits = hits[n:]
		if !slices.ContainsFunc(ofRule, func(h hit) bool { return h.sure }) {
			continue
		}
		sure := false
		var whole part
		for i, h := range ofRule {
			_, p := around(text, h.start, h.end)
			p.rule, p.sure = h.rule, true
			if i > 0 && p.start <= whole.end {
				whole.end, sure = max(whole.end, p.end), sure || h.sure
				continue
			}
			if sure {
				out = append(out, whole)
			}
			whole, sure = p, h.sure
		}
		if sure {
			out = append(out, whole)
		}
	}
	return out
}

// Generic is the rule for values with a name like key or secret. Its keywords are very common, and the value must be on
// the same line or the next.
const Generic = "generic-api-key"

// The limits of the text after a keyword for the rule Generic, in bytes.
const (
	mostBetween  = 20 + 3   // bytes from the keyword to the assignment sign
	mostSetting  = 4 + 5    // the assignment sign, quotes and space
	leastGeneric = 10       // the value
	between      = "-.'\""  // allowed there, besides words and space
	setting      = "=>:|?," // the first characters of an assignment sign
	aroundValue  = "=>:|?,'\"`"
	ofValue      = "=-./+" // besides word characters
)

// maySet reports whether the text after a keyword may be a value of the rule Generic, and whether that value is a name:
// the rule ignores names. It is a weaker test than the expressions, which take a hundred times as long.
func maySet(rest string) (may, name bool) {
	at := 0
	for at < len(rest) && at <= mostBetween &&
		(wordByte(rest[at]) || space(rest[at]) || strings.IndexByte(between, rest[at]) >= 0) {
		at++
	}
	if at == len(rest) || strings.IndexByte(setting, rest[at]) < 0 {
		return false, false
	}
	begin := at
	for at < len(rest) && at-begin < mostSetting && (space(rest[at]) || strings.IndexByte(aroundValue, rest[at]) >= 0) {
		at++
	}
	for at > begin && rest[at-1] == '=' { // may be the start of the value
		at--
	}
	value := at
	name = true
	for at < len(rest) && (name || at-value < leastGeneric) &&
		(wordByte(rest[at]) || strings.IndexByte(ofValue, rest[at]) >= 0) {
		name = name && letterOfName(rest[at])
		at++
	}
	return at-value >= leastGeneric, name
}

// mostBefore limits the characters before the keyword in a match of the rule Generic.
const mostBefore = 50

// beforeWord returns the earliest start of a match of the rule Generic whose keyword begins at `start`.
func beforeWord(text string, start int) int {
	least := max(0, start-mostBefore*longestFold)
	for start > least && (wordByte(text[start-1]) || text[start-1] == '.' || text[start-1] == '-') {
		start--
	}
	return start
}

// letterOfName reports whether a byte may be in the name of a variable or file.
func letterOfName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '.' || c == '-'
}

// wordByte and space are the classes \w and \s of regular expressions. wordByte also accepts bytes outside ASCII,
// because a case-insensitive expression matches two such characters with ASCII letters.
func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c >= 0x80
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// The greatest distance between a keyword and the ends of a match, in bytes.
const (
	lookBack    = 256 // bytes before the keyword, at most to the start of the line
	lookForward = 1 << 10
	longestWord = 16 << 10 // a token that begins within this distance is read to its end
)

// `around` returns the part of a text that may hold a match with a keyword. The smaller part, `near`, ends with the
// line after the keyword's line.
func around(text string, start, end int) (near, far part) {
	from := max(0, start-lookBack)
	if i := strings.LastIndexByte(text[from:start], '\n'); i >= 0 {
		from += i
	}
	to := min(len(text), end+lookForward)
	rest := text[to:min(len(text), to+longestWord)]
	if i := strings.IndexAny(rest, " \n\t"); i >= 0 {
		far = part{start: from, end: to + i + 1}
	} else {
		far = part{start: from, end: to + len(rest)}
	}
	near = far
	if i := strings.IndexByte(text[end:far.end], '\n'); i >= 0 {
		next := end + i + 1
		if i = strings.IndexByte(text[next:far.end], '\n'); i >= 0 {
			near.end = next + i + 1
		}
	}
	return near, far
}

// `merged` merges the overlapping parts of a rule.
func merged(parts []part) []part {
	if len(parts) < 2 {
		return parts
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Or(a.rule-b.rule, a.start-b.start) })
	out := parts[:1]
	for _, p := range parts[1:] {
		if last := &out[len(out)-1]; p.rule == last.rule && p.start <= last.end {
			last.end, last.sure = max(last.end, p.end), last.sure || p.sure
			continue
		}
		out = append(out, p)
	}
	return out
}

func (r *Rules) apply(rule *rule, text string, p part) ([]Finding, error) {
	pattern, err := rule.compiled()
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, groups := range pattern.FindAllStringSubmatchIndex(text[p.start:p.end], -1) {
		start, end := secretOf(rule, groups)
		start, end = start+p.start, end+p.start
		// The match may begin or end with the line feed next to the secret.
		secret := strings.Trim(text[start:end], "\n")
		if rule.Entropy != 0 && entropy(secret) <= rule.Entropy {
			continue
		}
		match := text[p.start+groups[0] : p.start+groups[1]]
		allowed, err := r.allowed(rule, secret, strings.Trim(match, "\n"), lineOf(text, p.start+groups[0], p.start+groups[1]))
		if err != nil {
			return nil, err
		}
		if !allowed && start < end {
			found = append(found, Finding{Start: start, End: end, Rule: rule.ID})
		}
	}
	return found, nil
}

// secretOf returns the secret in a match: the group that the rule names, otherwise the first non-empty group, otherwise
// the whole match.
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
	all, err := r.allow()
	if err != nil {
		return false, err
	}
	for _, lists := range [...][]*allowlist{all, rule.allow} {
		for _, list := range lists {
			if ok, err := list.allows(secret, match, line); ok || err != nil {
				return ok, err
			}
		}
	}
	return false, nil
}

// lineOf returns the complete lines that contain a match.
func lineOf(text string, start, end int) string {
	from := strings.LastIndexByte(text[:start], '\n') + 1
	if to := strings.IndexByte(text[end:], '\n'); to >= 0 {
		return text[from : end+to]
	}
	return text[from:]
}

// entropy returns the Shannon entropy of a text in bits per character, as gitleaks computes it.
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
