package steering_test

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/records/treetrace"
)

// Words of another language are added to those of English, in whatever case and with whatever punctuation they are
// written.
func TestWordsOfAnotherLanguageAreAdded(t *testing.T) {
	t.Parallel()
	english, err := steering.English()
	if err != nil {
		t.Fatal(err)
	}
	german, err := english.With([]byte(`{"language": "de", "declines": ["Nein"], "corrections": ["Nein, nicht"],
		"acknowledgements": ["ja", "weiter"], "directives": ["kein"], "negations": ["kein"], "lead_ins": ["ich sagte"],
		"failures": [{"type": "user_frustration", "phrases": ["so ein Mist"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	talk := newTalk("a").says("Baue ein Werkzeug, kein Web-Server.").writes("web/server.js", 2).says("Weiter!").
		says("Nein, nicht so! Ich sagte kein Web-Server, so ein Mist.")
	for _, test := range []struct {
		words            *steering.Words
		kinds            string
		ignored, annoyed bool
	}{{nil, "root direction direction", false, false}, {german, "root correction", true, true}} {
		d, err := documentOf([]steering.Conversation{{Record: talk.r}}, steering.Options{Words: test.words})
		if err != nil {
			t.Fatal(err)
		}
		if got := kinds(d); got != test.kinds || (has(d, treetrace.IgnoredConstraint, "node_001") != nil) != test.ignored ||
			(has(d, treetrace.Frustration, "") != nil) != test.annoyed {
			t.Errorf("%s: %+v", got, d.Failures)
		}
	}
	if d := newTalk("a").says("go").says("no, stop").document(t); kinds(d) != "root correction" {
		t.Errorf("English is not as it was: %s", kinds(d))
	}
}

func TestATableOfWordsWithAFaultIsRefused(t *testing.T) {
	t.Parallel()
	english, err := steering.English()
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]string{
		`{"decline": ["nein"]}`: "unknown field",
		`{"declines": ["nein"`:  "unexpected EOF",
		`{"declines": [" , "]}`: "holds no word",
		`{"declines": "nein"}`:  "cannot unmarshal",
		`{"failures": [{"type": "boredom", "phrases": ["gähn"]}]}`:                                     "boredom",
		`{"failures": [{"type": "user_frustration", "confidence": 0.99, "phrases": ["so ein Mist"]}]}`: "confidence",
	} {
		if _, err := english.With([]byte(raw)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
}
