package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Two relative clauses in one sentence are one too many where the second stands inside the first: "the fault with which
// a command ends that went on". A test cannot parse English. It counts relative pronouns between two commas, brackets
// or conjunctions. A list may have one for each of its items: "calls that failed, and lines that a person changed".
//
// These words are no relatives: who and which after a verb of asking or telling, since they ask ("says who wrote it");
// that after such a verb, a preposition or a conjunction ("says that", "of that file").
var (
	stretchEnd = regexp.MustCompile(`[,()]| and | or | but |\S*[=/|…]\S*`)
	// asksWho are the words before who and which that make a question of them.
	asksWho = wordSet(`tells tell told says say said know knows known ask asks asked see sees show shows decide decides name
		names find finds found out on matter matters remember remembers record records choose chooses only just look looks learn
		learns forgets forget hide hides hides sure needs both is are was were be been not no word test tests whether it them
		him her us me you for with by about over`)
	// beforeThat are the words after which that is a conjunction or points at something.
	beforeThat = wordSet(`so such say says said told tells tell means mean know knows known sure believe believes see sees shows
		show showed prove proves proved find finds found now in of for by with to at from than after before like is are was
		were on as under through without about over into only not seen notice notices noticed ensure ensures promise promises
		promised proof fact case same out sign all mind demand demands require requires report reports reported think thinks
		thought hold holds held note notes give gives evident likely clear possible forbids assume assumes assumed guarantee
		guarantees forget check checks checked expect expects if when where unless since because until while then also beside
		between during against within learn learns decided decides rule agree except provided given need needs read reads want
		wants warn warns happens happen state states stated remember remembers which who whom whose what terminal has have had
		do does did be been`)
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// nested lists the sentences of a page with a relative clause inside another.
func nested(page string) (out []string) {
	for _, s := range sentences(page) {
		for _, stretch := range stretchEnd.Split(strings.ToLower(s), -1) {
			if relatives(stretch) > 1 {
				out = append(out, strings.Join(strings.Fields(s), " "))
				break
			}
		}
	}
	return out
}

// relatives counts the relative pronouns of a part of a sentence. One that begins it may ask.
func relatives(stretch string) (n int) {
	words := strings.Fields(stretch)
	for i := 1; i < len(words); i++ {
		switch prev := words[i-1]; strings.Trim(words[i], `"'*_`) {
		case "which", "who", "whom", "whose":
			if i+1 < len(words) && words[i] == "whose" && wordSet("it they each the")[words[i+1]] {
				continue // "says of each line whose it is"
			}
			if !asksWho[prev] || words[i] == "which" && wordSet("for with by about over on")[prev] {
				n++
			}
		case "that":
			if !beforeThat[prev] && i+1 < len(words) && words[i+1] != "of" {
				n++
			}
		}
	}
	return n
}

func TestNestedRelativesAreTold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"The file that a call wrote.":                                       1,
		"The error with which a command ends that went on.":                 2,
		"It says that the log knows who wrote it.":                          0,
		"Lines of commits that no hook reported.":                           1,
		"The lines which a commit added that no hook reported.":             2,
		"A commit at which that is found.":                                  1,
		"It takes that of the file that was renamed.":                       1,
		"Providers that host models of others give them names that tell it": 2,
	} {
		if got := relatives(strings.ToLower(text)); got != want {
			t.Errorf("%q has %d relatives, want %d", text, got, want)
		}
	}
	if got := nested("Calls that failed, lines that changed. What it says: a file that a call wrote that was lost."); len(got) != 1 {
		t.Errorf("found %q", got)
	}
}

// One thing is said at a time: in documents, in comments, in help and in messages.
func TestSentencesHaveOneRelativeClause(t *testing.T) {
	t.Parallel()
	for name, page := range markdownPages(t) {
		for _, s := range nested(page) {
			t.Errorf("%s: a relative clause inside another: %s", name, s)
		}
	}
	eachComment(t, func(at token.Position, text string) {
		for _, s := range nested(text) {
			t.Errorf("%s: a relative clause inside another: %s", at, s)
		}
	})
	eachOwnFile(t, moduleRoot, func(set *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			text, whole := literal(n)
			for _, s := range nested(text) {
				t.Errorf("%s: a relative clause inside another: %s", set.Position(n.Pos()), s)
			}
			return !whole
		})
	})
}

// literal gives the text of string literals that are put together, whole where there is nothing else.
func literal(n ast.Node) (text string, whole bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Kind != token.STRING {
			return "", true
		}
		text, err := strconv.Unquote(n.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, leftWhole := literal(n.X)
		right, rightWhole := literal(n.Y)
		if n.Op == token.ADD && leftWhole && rightWhole {
			return left + right, true
		}
	}
	return "", false
}
