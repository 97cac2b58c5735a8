package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact/gitleaks"
)

// A token that its own form tells, made here.
func token(seed int64) string {
	return "ghp_" + random(rand.New(rand.NewSource(seed)), base62, 36)
}

func TestThreeLayersAreLookedBehindAndNoMore(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{})
	secret := token(1)
	for name, wrap := range map[string]func(string) string{
		"base64":   func(s string) string { return base64.StdEncoding.EncodeToString([]byte("say " + s + " now")) },
		"percent":  func(s string) string { return everyByte(s, "%%%02X") },
		"escapes":  func(s string) string { return everyByte(s, `\x%02x`) },
		"entities": func(s string) string { return everyByte(s, "&#%d;") },
	} {
		text := "the " + secret + " is"
		for layer := 1; layer <= maxLayers+1; layer++ {
			text = wrap(text)
			found, err := r.secrets(t.Context(), text, label, 0)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := len(found) > 0, layer <= 3; got != want {
				t.Errorf("%s, %d layers: found is %v", name, layer, got)
			}
		}
	}
}

// What a page, an address or a program puts around a secret does not keep it.
func TestWhatIsAroundASecretDoesNotKeepIt(t *testing.T) {
	t.Parallel()
	rules, err := gitleaks.Load()
	if err != nil {
		t.Fatal(err)
	}
	r := newRedactor(t, Options{Finder: rules})
	npm := "npm_" + random(rand.New(rand.NewSource(7)), base62, 36)
	for text, secret := range map[string]string{
		"<span>" + npm + "</span>":                                                 npm,
		"<p>" + everyByte(npm, "&#x%02x;"):                                         everyByte(npm, "&#x%02x;"),
		"https://a.example/?a=" + npm + "&b=1":                                     npm,
		`\x` + hex.EncodeToString([]byte(npm)):                                     hex.EncodeToString([]byte(npm)),
		`{"new":"db_password = +4f/Kq-w2\n"}`:                                      "+4f/Kq-w2",
		`x("db_password = +4f/Kq-w2", 'as is')`:                                    "+4f/Kq-w2",
		"TeleBot(\"982976367:AAgbPwTQJ1TZ2_eZBdpJr7iKKuWxsNjAbEx\")":               "982976367:AAgbPwTQJ1TZ2_eZBdpJr7iKKuWxsNjAbEx",
		"push a.nupkg -k oy2kwh4uohs2dvmod4j4fwclnh7zzgej5qproi7svdswpw":           "oy2kwh4uohs2dvmod4j4fwclnh7zzgej5qproi7svdswpw",
		`{"ParameterKey": "MasterUserPassword", "ParameterValue": "4l1z59-*V2"}`:   "4l1z59-*V2",
		"@Value(\"${mail.password:YYJt.Dre83fcoA}\") String mailPassword;":         "YYJt.Dre83fcoA",
		"mount -t cifs //nas1/d /mnt -o username=ops,password=LN.ISeq6pPwE,vers=3": "LN.ISeq6pPwE",
		"app:Kf8HnWeOc4oq@tcp(10.0.0.8:3306)/shop?parseTime=true":                  "Kf8HnWeOc4oq",
	} {
		if out := redacted(t, r, text); remains(out, secret) != "" {
			t.Errorf("%s: stays in %s", text, out)
		}
	}
	for _, text := range []string{
		"libsecret-1-0 0.21.4-1build3", "Sign(rand.Reader, test512Key, buf)", `fmt.Errorf("token = %w", err)`,
		"at 10:20:AA of all", "f(user=ops,password=self.one2,x)", "root@tcp(db)",
	} {
		if out := redacted(t, r, text); out != text {
			t.Errorf("%s: %s is left of it", text, out)
		}
	}
}

func TestBase64MayBeginAnywhere(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{})
	secret := token(2)
	whole := base64.RawStdEncoding.EncodeToString([]byte("a text of some length and then " + secret + " and its end"))
	for cut := range 8 {
		for glued := range 4 {
			text := "x = " + strings.Repeat("A", glued) + whole[cut:]
			out := redacted(t, r, text)
			if !strings.Contains(out, markerStart) || remains(out, secret) != "" {
				t.Errorf("cut by %d, glued to %d letters: %s", cut, glued, out)
			}
		}
	}
	var ends []int
	for _, s := range debase64(whole) {
		if strings.Contains(s.plain, secret) {
			ends = append(ends, s.start, s.end)
		}
	}
	if !slices.Equal(ends, []int{0, len(whole)}) {
		t.Errorf("the text is at %v of %d", ends, len(whole))
	}
}

// A secret anywhere around the end of a window is found, with what a rule wants before it.
func TestNothingIsLostBetweenWindows(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{})
	secret := random(rand.New(rand.NewSource(3)), "0123456789abcdef", 32)
	for at := windowSize - 120; at < windowSize+60; at += 7 {
		for _, filler := range []string{"fill ", "a\n", "x,y;"} {
			text := strings.Repeat(filler, at/len(filler)) + " adafruit.io = '" + secret + "'\n" + strings.Repeat(filler, 4000)
			found, err := r.find(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(found, func(s span) bool { return text[s.start:s.end] == secret }) {
				t.Errorf("at %d behind %q: not found", at, filler)
			}
		}
	}
	const leastOverlap = 300 // of which a rule may want some before a secret
	covered, last := 0, 0
	text := strings.Repeat("word ", 40_000)
	for from, to := range windows(text) {
		if from > covered || from > 0 && covered-from < leastOverlap || to-from > windowSize+windowBack+longestToken {
			t.Errorf("a window from %d to %d after %d", from, to, covered)
		}
		covered, last = to, to
	}
	if last != len(text) {
		t.Errorf("the last window ends at %d of %d", last, len(text))
	}
}

func TestTheUsersRulesHoldEverywhere(t *testing.T) {
	t.Parallel()
	rules, err := ParseRules(strings.NewReader("secret PROJ-[0-9]{12}-KEY\nallow " + token(4) + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	const own = "PROJ-123456789012-KEY"
	for name, text := range map[string]string{
		"plain": own, "wrapped": "see the code " + own[:11] + "\n" + own[11:] + " there", "JSON": quoted(quoted("\n" + own)), "base64": base64.StdEncoding.EncodeToString([]byte("a " + own + " b")),
		"coloured": own[:9] + "\x1b[1m" + own[9:], "entities": everyByte(own, "&#%d;"), "glued colours": "word\x1b[1m" + own + "\x1b[0mword",
	} {
		if out := redacted(t, newRedactor(t, Options{Rules: rules}), text); !strings.Contains(out, "[REDACTED:own-rule]") || strings.Contains(out, own[12:]) {
			t.Errorf("%s: %q", name, out)
		}
	}
	allowed := "use " + token(4) + " and " + token(5)
	if out := redacted(t, newRedactor(t, Options{Rules: rules}), allowed); !strings.Contains(out, token(4)) || strings.Contains(out, token(5)) {
		t.Errorf("what is allowed: %q", out)
	}
}

func TestIdsKeepNamesAndStayTied(t *testing.T) {
	t.Parallel()
	call := "toolu_" + random(rand.New(rand.NewSource(6)), base62, 22)
	session := "alice-" + random(rand.New(rand.NewSource(7)), "0123456789abcdef", 24)
	secret := token(8)
	in := conversation("token: \""+call+"\"", "session_token=\""+session+"\" and alice", "as "+secret)
	in.SessionID = session
	for i := range in.Steps {
		in.Steps[i].ToolCalls[0].ToolCallID, in.Steps[i].Observations[0].SourceCallID = fmt.Sprint(call, i), fmt.Sprint(call, i)
	}
	in.Steps[0].ToolCalls[0].ToolCallID, in.Steps[0].Observations[0].SourceCallID = call, call
	in.Steps[2].ToolCalls[0].ToolName = "run " + secret
	in.SetMeta("later", map[string]any{"session_id": call, call: call})
	in.SetMeta("sources", []map[string]any{{"step": 1, "ids": []string{call, secret}, "note": call, call: 1}})
	out, err := newRedactor(t, Options{Names: []string{"alice"}}).Record(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	raw := encode(t, out)
	got, err := records.Decode([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	if got.SessionID != session || got.TraceID != in.TraceID {
		t.Errorf("the session is %s", got.SessionID)
	}
	for i, step := range got.Steps {
		if want := in.Steps[i].ToolCalls[0].ToolCallID; step.ToolCalls[0].ToolCallID != want || step.Observations[0].SourceCallID != want {
			t.Errorf("step %d: %s and %s, want %s", i, step.ToolCalls[0].ToolCallID, step.Observations[0].SourceCallID, want)
		}
	}
	if strings.Contains(*got.Steps[0].Content, call) || strings.Contains(*got.Steps[1].Content, "alice") || strings.Contains(raw, secret) {
		t.Errorf("too much is left: %s", raw)
	}
	if strings.Contains(string(got.Metadata["later"]), call) {
		t.Errorf("what was made up by others is no id: %s", got.Metadata["later"])
	}
	if lines := got.Sources()[1]; len(lines) != 2 || lines[0] != call || strings.Count(string(got.Metadata["sources"]), call) != 1 {
		t.Errorf("the ids of lines stay, and only they: %s", got.Metadata["sources"])
	}
}

// mix puts texts together as chance has it.
func mix(rnd *rand.Rand, forms []secretForm) string {
	var out strings.Builder
	for range 1 + rnd.Intn(6) {
		switch rnd.Intn(6) {
		case 0:
			out.WriteString(ways[rnd.Intn(len(ways))].write(forms[rnd.Intn(len(forms))]))
		case 1:
			out.WriteString(heldBy[rnd.Intn(len(heldBy))].text(passwords[rnd.Intn(len(passwords))]))
		case 2:
			out.WriteString(strings.ReplaceAll(homeWays[rnd.Intn(len(homeWays))], "NAME", "quimby"))
		case 3:
			out.WriteString([]string{" ", "\n", "\t", `\n`, `"`, "'", "=", ": ", "|", "%", "\\", "&", "[", "]", "[REDACTED:x]", "\x1b[0m", "~", "-"}[rnd.Intn(18)])
		case 4:
			out.WriteString("alice and some words of a text, key: ")
		default:
			out.WriteString("\n")
		}
	}
	return out.String()
}

// Redacting twice changes nothing, and what was JSON still is, however deep.
func TestRedactingTwiceChangesNothingAndJSONStaysJSON(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{Names: []string{"alice"}})
	forms := knownForms(t, 5)
	rnd := rand.New(rand.NewSource(9))
	for range testenv.Pick(150, 400, 5000) {
		text := mix(rnd, forms)
		out := redacted(t, r, text)
		if again := redacted(t, r, out); again != out {
			t.Errorf("redacting twice changes %q to %q", out, again)
		}
		for deep := range 3 {
			doc := `{"a":` + quoted(text) + `,"password":` + quoted("hunter2"+fmt.Sprint(rnd.Intn(1000))) + `,"n":[1,"x"]}`
			for range deep {
				doc = `{"inner":` + quoted(doc) + `}`
			}
			out := redacted(t, r, doc)
			for value := any(out); ; {
				text, ok := value.(string)
				if !ok || !strings.HasPrefix(text, "{\"") {
					break
				}
				var inner map[string]any
				if err := json.Unmarshal([]byte(text), &inner); err != nil {
					t.Errorf("%d deep: %v: %q of %q", deep, err, text, doc)
					break
				}
				value = inner["inner"]
			}
		}
	}
}

func TestHexadecimalDigitsMayBeginWithHalfAByte(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{})
	for _, before := range []string{"", "a", "ab", "0x", "f0f"} {
		text := "dump " + before + hex.EncodeToString([]byte("the "+token(10)+" is"))
		if out := redacted(t, r, text); !strings.Contains(out, markerStart) || remains(out, token(10)) != "" {
			t.Errorf("behind %q: %s", before, out)
		}
	}
}

func TestAFormIsAWordOfItsOwn(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{})
	letters := random(rand.New(rand.NewSource(11)), "0123456789abcdef", 40)
	for text, want := range map[string]bool{
		"sbp_" + letters: true, "(sbp_" + letters + ")": true, "_sbp_" + letters: true, "xsbp_" + letters: false, "sbp_" + letters + "0": false, "sbp_" + letters[1:]: false,
		"sbp_" + strings.Repeat("a", 40): false, "sbp_" + strings.Repeat("ab", 20): false,
	} {
		if got := len(r.known(r.begins.scan(text))) > 0; got != want {
			t.Errorf("%s: found is %v", text, got)
		}
	}
}

func TestATextInBase64LooksRandomAndIsNot(t *testing.T) {
	t.Parallel()
	words := base64.StdEncoding.EncodeToString([]byte("We are glad to tell you that all of it is here now."))
	if !looksRandom(words) {
		t.Fatalf("%s does not look random", words)
	}
	key := random(rand.New(rand.NewSource(12)), base62, 44)
	if got := newRedactor(t, Options{}).highEntropy("x " + words + " " + key + ` \n` + key + ` \u003c` + key); len(got) != 3 {
		t.Errorf("found %v", got)
	}
}
