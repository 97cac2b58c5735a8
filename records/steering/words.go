package steering

import (
	_ "embed" // the English words
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/git-trace/git-trace/records/treetrace"
)

// Words holds the words of a language that steering knows. They are a table, so another language is just another file.
// Phrases are in lower case, with single spaces between words.
type Words struct {
	Language         string   `json:"language"`
	Acknowledgements []string `json:"acknowledgements"` // a prompt with only these words means "go on"
	Acceptance       []string `json:"acceptance"`
	Interjections    []string `json:"interjections"` // skipped before an opener
	Declines         []string `json:"declines"`
	NotDeclines      []string `json:"not_declines"`
	Corrections      []string `json:"corrections"` // openers
	CorrectionAny    []string `json:"correction_anywhere"`
	WeakCorrections  []string `json:"weak_corrections"` // openers of corrections, tried last
	Scope            []string `json:"scope"`
	ScopeAny         []string `json:"scope_anywhere"`
	Checkpoints      []string `json:"checkpoints"` // openers, also after an acceptance
	Choices          []string `json:"choices"`
	Requests         []string `json:"requests"`   // openers of questions that ask for a change
	Enquiries        []string `json:"enquiries"`  // openers of requests that ask for an answer
	Complaints       []string `json:"complaints"` // words before another change of the same files: the files were wrong
	Refusals         []string `json:"refusals"`
	Directives       []string `json:"directives"` // openers of a constraint
	DirectivesAny    []string `json:"directives_anywhere"`
	Negations        []string `json:"negations"` // a constraint with one of these forbids something
	LeadIns          []string `json:"lead_ins"`
	StopWords        []string `json:"stop_words"`
	Vague            []string `json:"vague"`    // words that do not name a path
	Programs         []string `json:"programs"` // programs whose names are ordinary words
	Failures         []Cue    `json:"failures"` // the most important first
	Intents          []string `json:"intents"`
}

// Cue has the phrases that show a type of failure in a correction.
type Cue struct {
	Type       string   `json:"type"`
	Confidence float64  `json:"confidence"`
	Phrases    []string `json:"phrases"`
}

//go:embed words.json
var englishWords []byte

// English returns the English words, which are built in.
func English() (*Words, error) { return english() }

var english = sync.OnceValues(func() (*Words, error) { return ReadWords(englishWords) })

// ReadWords reads a table of words.
func ReadWords(raw []byte) (*Words, error) {
	w := &Words{}
	if err := json.Unmarshal(raw, w); err != nil {
		return nil, fmt.Errorf("read table of words: %w", err)
	}
	return w, nil
}

// `spaced` returns the words of a text with single spaces around each, for searching phrases.
func spaced(s string) string { return " " + strings.Join(tokens(s), " ") + " " }

func begins(spacedText string, phrases []string) (string, bool) {
	longest := ""
	for _, p := range phrases {
		if strings.HasPrefix(spacedText, " "+p+" ") && len(p) > len(longest) {
			longest = p
		}
	}
	return longest, longest != ""
}

func holds(spacedText string, phrases []string) (string, bool) {
	for _, p := range phrases {
		if strings.Contains(spacedText, " "+p+" ") {
			return p, true
		}
	}
	return "", false
}

// `after` removes leading phrases.
func after(spacedText string, phrases []string) string {
	for {
		p, found := begins(spacedText, phrases)
		if !found {
			return spacedText
		}
		spacedText = spacedText[len(p)+1:]
	}
}

// `acknowledges` reports whether a prompt only means "go on": it has at most four words, all of them acknowledgements.
func (w *Words) acknowledges(s string) bool {
	const most = 4
	t := spaced(s)
	n := strings.Count(t, " ") - 1
	return n >= 1 && n <= most && strings.TrimSpace(after(t, w.Acknowledgements)) == ""
}

// `accepts` reports whether a prompt begins with an acceptance. "not exactly" and "would be nice" are not acceptances.
func (w *Words) accepts(s string) bool {
	_, found := begins(after(spaced(s), w.Interjections), w.Acceptance)
	return found
}

func (w *Words) declines(s string) bool {
	t := spaced(s)
	for range 2 { // the whole text first, then without interjections
		if _, not := begins(t, w.NotDeclines); not {
			return false
		}
		if _, found := begins(t, w.Declines); found {
			return true
		}
		t = after(t, w.Interjections)
	}
	return false
}

// `refuses` reports whether an answer contains a phrase of refusal.
func (w *Words) refuses(s string) bool {
	_, found := holds(spaced(s), w.Refusals)
	return found
}

func (w *Words) corrects(s string) bool {
	t := spaced(s)
	if _, not := begins(t, w.NotDeclines); not {
		return false
	}
	if _, found := begins(t, w.Corrections); found {
		return true
	}
	if _, found := begins(after(t, w.Interjections), w.Corrections); found {
		return true
	}
	_, found := holds(t, w.CorrectionAny)
	return found
}

func (w *Words) correctsWeakly(s string) bool {
	_, found := begins(spaced(s), w.WeakCorrections)
	return found
}

// `requests` reports whether a question asks for a change: "can you add a test?", but not "can you explain this?".
func (w *Words) requests(s string) bool {
	t := w.plain(s)
	_, asks := begins(t, w.Enquiries)
	_, found := begins(t, w.Requests)
	return found && !asks
}

// `complains` reports whether a prompt contains a complaint.
func (w *Words) complains(s string) bool {
	_, found := holds(spaced(s), w.Complaints)
	return found
}

// tooMuch reports whether a prompt says that the agent built more than was wanted.
func (w *Words) tooMuch(s string) bool {
	_, declines := begins(spaced(s), w.Declines)
	return declines || w.says(treetrace.ScopeDrift, s) || w.says(treetrace.Overbuilt, s)
}

// `says` reports whether a prompt contains a phrase for a type of failure.
func (w *Words) says(kind, s string) bool {
	t := spaced(s)
	return slices.ContainsFunc(w.Failures, func(c Cue) bool {
		_, found := holds(t, c.Phrases)
		return c.Type == kind && found
	})
}

// `plain` returns a prompt without the words before its first clause: "ok, perfect, hmm, …".
func (w *Words) plain(s string) string {
	return after(after(after(spaced(s), w.Acceptance), w.Acknowledgements), w.Interjections)
}

// `widens` reports whether the beginning of a prompt asks for more, or for something else. Text further down, which may
// be pasted, does not count.
func (w *Words) widens(s string) bool {
	const within = 300
	t := spaced(cut(s, within))
	if _, found := begins(t, w.Scope); found {
		return true
	}
	_, found := holds(t, w.ScopeAny)
	return found
}

// `marks` reports whether a prompt asks for a checkpoint, at its beginning or after an acceptance ("Looks good, commit
// it.").
func (w *Words) marks(s string) bool {
	_, found := begins(after(w.plain(s), w.Requests), w.Checkpoints)
	return found
}

// choice returns the menu option that a prompt chooses: "2", "b", "option 2".
func (w *Words) choice(s string) (string, bool) {
	list := tokens(s)
	if len(list) == 2 && slices.Contains(w.Choices, list[0]) {
		list = list[1:]
	}
	if len(list) != 1 {
		return "", false
	}
	runes := []rune(list[0])
	number := len(runes) <= 2 && !slices.ContainsFunc(runes, func(r rune) bool { return !unicode.IsDigit(r) })
	letter := len(runes) == 1 && runes[0] >= 'a' && runes[0] <= 'f'
	return list[0], number || letter
}

// cues returns the types of failure that the words of a correction show: at most two, in the order of the table. The
// last type of the table counts only if it is the only one.
func (w *Words) cues(s string) []Cue {
	const most = 2
	var out []Cue
	t := spaced(s)
	for i := range w.Failures {
		c := &w.Failures[i]
		if i == len(w.Failures)-1 && len(out) > 0 {
			break
		}
		if phrase, found := holds(t, c.Phrases); found {
			out = append(out, Cue{c.Type, c.Confidence, []string{phrase}})
		}
		if len(out) == most {
			break
		}
	}
	return out
}
