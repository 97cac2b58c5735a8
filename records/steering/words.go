package steering

import (
	_ "embed" // the words of English
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/git-trace/git-trace/records/treetrace"
)

// Words are the words of a language that steering knows: tables, so that another language is another file. Phrases are
// in lower case, their words divided by single spaces.
type Words struct {
	Language         string   `json:"language"`
	Acknowledgements []string `json:"acknowledgements"` // a prompt of only these words means "go on"
	Acceptance       []string `json:"acceptance"`
	Interjections    []string `json:"interjections"` // skipped before an opener
	Declines         []string `json:"declines"`
	NotDeclines      []string `json:"not_declines"`
	Corrections      []string `json:"corrections"` // openers
	CorrectionAny    []string `json:"correction_anywhere"`
	WeakCorrections  []string `json:"weak_corrections"` // openers, after all others
	Scope            []string `json:"scope"`
	ScopeAny         []string `json:"scope_anywhere"`
	Checkpoints      []string `json:"checkpoints"` // openers, also after an acceptance
	Choices          []string `json:"choices"`
	Requests         []string `json:"requests"`   // openers of questions that want something done
	Enquiries        []string `json:"enquiries"`  // openers of requests that want an answer
	Complaints       []string `json:"complaints"` // with files that are changed again, they say that these were wrong
	Refusals         []string `json:"refusals"`
	Directives       []string `json:"directives"` // openers of a constraint
	DirectivesAny    []string `json:"directives_anywhere"`
	Negations        []string `json:"negations"` // a constraint with one says what must not be
	LeadIns          []string `json:"lead_ins"`
	StopWords        []string `json:"stop_words"`
	Vague            []string `json:"vague"`    // words that name no path
	Programs         []string `json:"programs"` // names of programs that are ordinary words
	Failures         []Cue    `json:"failures"` // in the order of weight
	Intents          []string `json:"intents"`
}

// Cue are phrases of corrections about a type of failure.
type Cue struct {
	Type       string   `json:"type"`
	Confidence float64  `json:"confidence"`
	Phrases    []string `json:"phrases"`
}

//go:embed words.json
var englishWords []byte

// English returns the words that come with git-trace.
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

// spaced returns a text as its words, each between spaces, for the search of phrases.
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

// after drops leading phrases.
func after(spacedText string, phrases []string) string {
	for {
		p, found := begins(spacedText, phrases)
		if !found {
			return spacedText
		}
		spacedText = spacedText[len(p)+1:]
	}
}

// acknowledges reports whether a prompt means only "go on": at most four words, all of them known.
func (w *Words) acknowledges(s string) bool {
	const most = 4
	t := spaced(s)
	n := strings.Count(t, " ") - 1
	return n >= 1 && n <= most && strings.TrimSpace(after(t, w.Acknowledgements)) == ""
}

// accepts reports whether a prompt begins with an acceptance. "not exactly" and "would be nice" do not.
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

// refuses reports whether an answer begins, or its second sentence does, with a phrase of refusal.
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

// requests reports whether a question wants something done: "can you add a test?", and not "can you explain this?".
func (w *Words) requests(s string) bool {
	t := w.plain(s)
	_, asks := begins(t, w.Enquiries)
	_, found := begins(t, w.Requests)
	return found && !asks
}

// complains reports whether a prompt says anywhere that something is not as it should be.
func (w *Words) complains(s string) bool {
	_, found := holds(spaced(s), w.Complaints)
	return found
}

// tooMuch reports whether a prompt says that more was built than wanted.
func (w *Words) tooMuch(s string) bool {
	_, declines := begins(spaced(s), w.Declines)
	return declines || w.says(treetrace.ScopeDrift, s) || w.says(treetrace.Overbuilt, s)
}

// says reports whether a prompt has a phrase of a type of failures.
func (w *Words) says(kind, s string) bool {
	t := spaced(s)
	return slices.ContainsFunc(w.Failures, func(c Cue) bool {
		_, found := holds(t, c.Phrases)
		return c.Type == kind && found
	})
}

// plain returns a prompt without what comes before its first clause: "ok, perfect, hmm, …".
func (w *Words) plain(s string) string {
	return after(after(after(spaced(s), w.Acceptance), w.Acknowledgements), w.Interjections)
}

// widens reports whether a prompt asks for more, or for something else, at its beginning. Pasted text below does not
// count.
func (w *Words) widens(s string) bool {
	const within = 300
	t := spaced(cut(s, within))
	if _, found := begins(t, w.Scope); found {
		return true
	}
	_, found := holds(t, w.ScopeAny)
	return found
}

// marks reports whether a prompt asks for a checkpoint: at its beginning, or after an acceptance ("Looks good, commit
// it.").
func (w *Words) marks(s string) bool {
	_, found := begins(after(w.plain(s), w.Requests), w.Checkpoints)
	return found
}

// choice returns the choice of a prompt in a menu: "2", "b", "option 2".
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

// cues returns the types of failure in the words of a correction, at most two, in the order of the table. The last one
// of the table counts only alone.
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
