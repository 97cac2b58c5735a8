package steering

import (
	"path"
	"slices"
	"strings"
)

// constraint is a clause of a prompt that says what must or must not be done.
type constraint struct {
	clause   string // without its lead-in ("I said")
	key      []string
	negative bool // the clause forbids something
}

// The limits of a clause, in characters, and of the number of constraints in a prompt.
const (
	shortClause, longClause = 6, 220
	mostClauses             = 3
)

// constraintsOf finds the constraints of a prompt: sentences, and clauses after a comma, that begin with a directive or
// contain one. "Build a CLI, no web app." has one constraint, "no web app".
func (w *Words) constraintsOf(text string) []constraint {
	var out []constraint
	for _, clause := range w.clauses(text) {
		clause = w.withoutLeadIn(clause)
		t := spaced(clause)
		_, leads := begins(t, w.Directives)
		_, has := holds(t, w.DirectivesAny)
		n := len([]rune(clause))
		if !leads && !has || n < shortClause || n > longClause {
			continue
		}
		c := constraint{clause: clause, key: w.keyOf(clause)}
		_, c.negative = holds(t, w.Negations)
		if len(c.key) > 0 && !slices.ContainsFunc(out, func(o constraint) bool { return sameKey(o.key, c.key) }) {
			out = append(out, c)
		}
		if len(out) == mostClauses {
			break
		}
	}
	return out
}

// clauses splits a text into sentences, and sentences at commas before a directive. Questions are left out.
func (w *Words) clauses(text string) []string {
	var out []string
	for _, sentence := range sentences(text) {
		if strings.HasSuffix(sentence, "?") {
			continue
		}
		sentence = strings.TrimRight(sentence, ".!;: ")
		from := 0
		for i := range len(sentence) {
			if sentence[i] != ',' && sentence[i] != ';' {
				continue
			}
			if _, leads := begins(spaced(w.withoutLeadIn(sentence[i+1:])), w.Directives); leads {
				out = append(out, strings.TrimSpace(sentence[from:i]))
				from = i + 1
			}
		}
		out = append(out, strings.TrimSpace(sentence[from:]))
	}
	return out
}

// sentences splits a text at line feeds, and at full stops and similar signs that end a word.
func sentences(text string) []string {
	const most = 400
	var out []string
	for line := range strings.Lines(text) {
		from := 0
		for i := range len(line) {
			if strings.IndexByte(".!?", line[i]) >= 0 && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\n') {
				out = append(out, strings.TrimSpace(line[from:i+1]))
				from = i + 1
			}
		}
		if rest := strings.TrimSpace(line[from:]); rest != "" {
			out = append(out, rest)
		}
		if len(out) >= most {
			return out[:most]
		}
	}
	return out
}

// withoutLeadIn removes the lead-in of a clause: "I said", "please".
func (w *Words) withoutLeadIn(clause string) string {
	clause = strings.TrimLeft(clause, " -*•\t")
	for {
		lead, found := begins(spaced(clause), w.LeadIns)
		if !found {
			return clause
		}
		fields := strings.Fields(clause)
		clause = strings.Join(fields[min(len(strings.Fields(lead)), len(fields)):], " ")
	}
}

// keyOf returns the significant words of a clause, sorted. Clauses are compared by their keys.
func (w *Words) keyOf(clause string) []string {
	var out []string
	for _, word := range tokens(clause) {
		if len([]rune(word)) > 2 && !slices.Contains(w.StopWords, word) && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	slices.Sort(out)
	return out
}

// sameKey reports whether one key contains all words of the other. A key of one word is only compared with keys of at
// most two.
func sameKey(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for _, word := range a {
		if !slices.Contains(b, word) {
			return false
		}
	}
	return len(a) > 0 && (len(a) > 1 || len(b) <= 2)
}

// violatedBy returns a file that the turn changed although the constraint forbids it by name: "don't touch vendor/" and
// vendor/x.go; "" if there is none.
func (c *constraint) violatedBy(t *turn, w *Words) string {
	if !c.negative {
		return ""
	}
	for _, word := range c.key {
		if len(word) < 3 || slices.Contains(w.Vague, word) {
			continue
		}
		for _, ch := range t.changes {
			parts := strings.FieldsFunc(strings.ToLower(ch.path), func(r rune) bool { return r == '/' || r == '.' })
			if slices.Contains(parts, word) || strings.ToLower(path.Base(ch.path)) == word {
				return ch.path
			}
		}
	}
	return ""
}
