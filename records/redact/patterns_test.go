package redact

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records/redact/gitleaks"
)

// cut are the parts of a text that were found, in order.
func cut(text string, found []span) []string {
	out := []string{}
	for _, s := range found {
		out = append(out, text[s.start:s.end])
	}
	return out
}

func TestTokensOfHTTPsAuthorization(t *testing.T) {
	t.Parallel()
	const sixteen = "abcdefg1abcdefg1" // three bits a character
	long := strings.Repeat(sixteen, 70)
	for text, want := range map[string][]string{
		"Authorization: Bearer " + sixteen + "\"":                      {sixteen},
		"bearer " + sixteen:                                            {sixteen},
		"BASIC\t" + sixteen + "\nnext":                                 {sixteen},
		"-H 'authorization: token " + sixteen + "'":                    {sixteen},
		"Authorization:token\n" + sixteen:                              {sixteen},
		"authorization: token " + sixteen + " bearer " + sixteen + "z": {sixteen, sixteen + "z"},
		"Bearer a.b~c-d_e/f+g=h1, then":                                {"a.b~c-d_e/f+g=h1"},
		"bearer " + long:                                               {long[:mostAuthorization]},
		"bearer " + sixteen[1:]:                                        {}, // too short
		"bearer aaaaaaaaaaaaaaa1aaa":                                   {}, // a stand-in
		"bearer abcdefghijklmnopqr":                                    {}, // words
		"bearer" + sixteen:                                             {},
		"xbearer " + sixteen:                                           {},
		"my_bearer " + sixteen:                                         {},
		"authorization token " + sixteen:                               {},
		"authorization: tok " + sixteen:                                {sixteen}, // any word that says of which kind
		"authorization: " + sixteen:                                    {},
		"authorisation: token " + sixteen:                              {},
		"my_authorization: token " + sixteen:                           {sixteen}, // as HTTP_AUTHORIZATION
		"bear " + sixteen:                                              {},
		"a basin " + sixteen:                                           {},
		"bearer":                                                       {},
		"bearer ":                                                      {},
		"basic":                                                        {},
		"authorization":                                                {},
		"authorization:":                                               {},
		"authorization: token":                                         {},
	} {
		found := newPatterns().begins.scan(text).authorizations()
		if got := cut(text, found); !slices.Equal(got, want) {
			t.Errorf("%.60q: found %q, want %q", text, got, want)
		}
		for _, s := range found {
			if s.rule != "authorization" || !s.whole {
				t.Errorf("%.60q: %+v", text, s)
			}
		}
	}
}

func TestPasswordsInURLs(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{})
	const scheme = "abcdefghijklmnopqrstu" // as long as a scheme may be
	name, most := strings.Repeat("n", 200), strings.Repeat("p", 400)
	for text, want := range map[string][]string{
		"postgres://app:hunter2@db.example.com:5432/app": {"hunter2"},
		"postgres://app:hunter2@db":                      {"hunter2"},
		"https://:hunter2@example.com":                   {"hunter2"},
		"ab://b:c@d and ef://f:hunter2@h":                {"c", "hunter2"},
		"ab://b:c@d,ef://f:hunter2@h":                    {"c", "hunter2"},
		"ab://b/?ef://f:hunter2@h":                       {"hunter2"},
		"":                                               {},
		"://x ab://f:hunter2@h":                          {"hunter2"},
		"a://b:c@d":                                      {},
		"see http://x.y/z, then ftp://me:hunter2@[::1]/": {"hunter2"},
		"http://x.y then ftp://me:hunter2@h":             {"hunter2"},
		scheme + "://me:hunter2@h":                       {"hunter2"},
		"x" + scheme + "://me:hunter2@h":                 {"hunter2"},
		"re+dis://me:a:b:c@h":                            {"a:b:c"},
		"ab://" + name + ":" + most + "@h":               {most},
		"ab://me:" + most + "p@h":                        {},
		"http://me@example.com":                          {},
		"http://example.com:80/@a":                       {},
		"http://me:hunter2@":                             {},
		"http://me:hunter2@ h":                           {},
		"http://me:hunter2":                              {},
		"http://me:hunter2 @h":                           {},
		"http://me:$PASSWORD@h":                          {},
		"http://me:xxxx@h":                               {},
		"http://me:Secret@h":                             {},
		"http://me:[REDACTED:x]@h":                       {},
		"://me:hunter2@h":                                {},
		"1://me:hunter2@h":                               {},
		"://":                                            {},
	} {
		found := r.logins(r.begins.scan(text))
		if got := cut(text, found); !slices.Equal(got, want) {
			t.Errorf("%.60q: found %q, want %q", text, got, want)
		}
		for _, s := range found {
			if s.rule != "url-password" || !s.whole {
				t.Errorf("%.60q: %+v", text, s)
			}
		}
	}
}

func TestPasswordsThatStandForOne(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"***": true, "xX.x-X_x": true, "$PW": true, "{pw}": true, "<pw>": true, "%s": true, "[pw]": true, "[REDACTED:x]": true,
		"PassWord": true, "your-password": true, "pw": true, "hunter2": false, "password1": false, "x1": false, "p$w": false,
	} {
		if got := placeholder(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestTheBlockOfAKeyEndsWhereItsLinesEnd(t *testing.T) {
	t.Parallel()
	const begin = "-----BEGIN RSA PRIVATE KEY-----"
	line := strings.Repeat("aB3+", 16)
	for name, test := range map[string]struct{ key, rest string }{
		"an end":                     {begin + "\n" + line + "\n-----END RSA PRIVATE KEY-----", "\nabc\n"},
		"an end of a long name":      {begin + "\n" + line + "\n-----END" + strings.Repeat("x", 79) + "-----", "\nabc\n"},
		"an end that is none":        {begin + "\n" + line + "\n", "-----END" + strings.Repeat("?", 80) + "-----\nabc\n"},
		"an end without its dashes":  {begin + "\n" + line + "\n", "-----END RSA\nabc"},
		"no end":                     {begin + "\n" + line + "\n" + line + "\n", "that was it"},
		"no end, and the text ends":  {begin + "\n" + line, ""},
		"a line feed, and it ends":   {begin + "\n", ""},
		"nothing but the first line": {begin, ""},
		"a header":                   {begin + "\nProc-Type: 4,ENCRYPTED\n\n" + line + "\n", "that was it"},
		"escaped":                    {begin + `\n` + line + `\n`, "that was it"},
		"escaped twice":              {begin + `\\n` + line + `\\n`, "that was it"},
		"escaped returns":            {begin + `\r\n` + line + `\r\n`, "that was it"},
		"lines of a program":         {begin + "\\n\" +\n\t\"" + line + "\\n\" +\n", "that was it"},
		"another letter escaped":     {begin + `\n` + line + `\`, `that was it`},
		"a space behind its lines":   {begin + "\n" + line + "\n", "not a line"},
		"letters beyond ASCII":       {begin + "\n" + line + "\n", "naïve"},
	} {
		if got := begin + (test.key + test.rest)[len(begin):endOfKey(test.key+test.rest, len(begin))]; got != test.key {
			t.Errorf("%s: the key is %q, want %q", name, got, test.key)
		}
	}
	whole := begin + "\n" + strings.Repeat(line+"\n", 2*longestKey/len(line))
	if got := endOfKey(whole, len(begin)); got != len(begin)+longestKey {
		t.Errorf("a key without an end has %d bytes", got)
	}
}

func TestKeysAreTakenAsOneAndAreNotLookedForAgain(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{})
	const key = "-----BEGIN PGP PRIVATE KEY BLOCK-----\nabcd\n-----END PGP PRIVATE KEY BLOCK-----"
	text := "one " + key + " and " + key + "."
	found := slices.DeleteFunc(r.plain(r.begins.scan(text), label), func(s span) bool { return s.rule != privateKeyRule })
	if got := cut(text, found); !slices.Equal(got, []string{key, key}) || found[0].whole {
		t.Errorf("found %q, %+v", got, found)
	}
}

// fixed finds the texts that it holds, each with its rule.
type fixed map[string]string

func (f fixed) Find(text string) ([]gitleaks.Finding, error) {
	var found []gitleaks.Finding
	for secret, rule := range f {
		for from := 0; ; {
			i := strings.Index(text[from:], secret)
			if i < 0 {
				break
			}
			found = append(found, gitleaks.Finding{Start: from + i, End: from + i + len(secret), Rule: rule})
			from += i + len(secret)
		}
	}
	if strings.Contains(text, "trouble") {
		return nil, errors.New("trouble")
	}
	return found, nil
}

func TestWhatAFinderFinds(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{Finder: fixed{"hunter2": "pets", "-----BEGIN": privateKeyRule, "[REDACTED:pets]": "pets"}})
	far := strings.Repeat("filler ", 2*windowSize/len("filler "))
	text := "my hunter2 " + far + " hunter2 -----BEGIN [REDACTED:pets] "
	found, err := r.find(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	whole, parts := 0, map[string]bool{}
	for _, s := range found {
		if text[s.start:s.end] == "hunter2" && s.whole && s.rule == "pets" {
			whole++
		}
		parts[text[s.start:s.end]] = s.whole
	}
	if whole != 2 || len(parts) != 2 || parts["-----BEGIN"] {
		t.Errorf("found %+v", found)
	}
}

func TestMarksBehindTokensBecomeSpaces(t *testing.T) {
	t.Parallel()
	const sixteen = "abcdefghijklmno1"
	for text, want := range map[string]string{
		"(" + sixteen + ")":             "(" + sixteen + " ",
		sixteen + ", " + sixteen + ". ": sixteen + "  " + sixteen + "  ",
		sixteen + "*":                   sixteen + " ",
		"1" + sixteen[:15] + "!":        "1" + sixteen[:15] + " ",
		"1" + sixteen[:14] + "!":        "1" + sixteen[:14] + "!", // short
		sixteen[1:] + ".":               sixteen[1:] + ".",
		"abcdefghijklmnopqrs.":          "abcdefghijklmnopqrs.", // no digit
		"1 bcdefghijklmnopqrs.":         "1 bcdefghijklmnopqrs.",
		"abcdefghijklmnop9qrstu.":       "abcdefghijklmnop9qrstu ",
		sixteen + ".go":                 sixteen + ".go", // the token goes on
		sixteen + ").":                  sixteen + ").",
		"a.b,c":                         "a.b,c",
		"":                              "",
	} {
		if got := loosen(text, newRedactor(t, Options{}).tokens(text)); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
