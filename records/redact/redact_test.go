package redact

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"net/url"
	"strings"
	"testing"
)

const base62 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// random is n characters that no scanner of this repository can take for a secret: they are made here.
func random(rnd *rand.Rand, alphabet string, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = alphabet[rnd.Intn(len(alphabet))]
	}
	return string(out)
}

// planted is a secret and what stands around it.
type planted struct{ name, before, secret, after string }

func plant(seed int64) []planted {
	rnd := rand.New(rand.NewSource(seed))
	return []planted{
		{"github", "the token is ", "ghp_" + random(rnd, base62, 36), " now"},
		{"aws", "aws_access_key_id = ", "AKIA" + random(rnd, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16), ""},
		{"anthropic", "export KEY=", "sk-ant-api03-" + random(rnd, base62, 93) + "AA", " # mine"},
		{"gitlab", "git clone with ", "glpat-" + random(rnd, base62, 20), " please"},
		{"stripe", "live key ", "sk_live_" + random(rnd, base62, 24), "."},
		{"slack", "bot ", "xoxb-" + random(rnd, "0123456789", 12) + "-" + random(rnd, "0123456789", 12) + "-" + random(rnd, base62, 24), ""},
		{"npm", "//registry.npmjs.org/:_authToken=", "npm_" + strings.ToLower(random(rnd, base62, 36)), ""},
		{"url", "psql postgres://app:", "Tr0ub4dor" + random(rnd, base62, 6), "@db.example.com:5432/app"},
		{"bearer", "Authorization: Bearer ", random(rnd, base62, 40), ""},
		{"generic", "api_key = \"", random(rnd, base62, 32), "\""},
		{"entropy", "and use ", random(rnd, base62, 44), " for it"},
	}
}

func newRedactor(t testing.TB, o Options) *Redactor {
	t.Helper()
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func redacted(t testing.TB, r *Redactor, text string) string {
	t.Helper()
	out, _, err := r.Text(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// written are the ways of writing that the package claims to see through, each applied to a text with a secret in it.
var written = []struct {
	name   string
	encode func(p planted) string
	covers func(p planted) bool
}{
	{"plain", func(p planted) string { return p.before + p.secret + p.after }, all},
	{"JSON in the text", func(p planted) string { return "x" + quoted("a\n"+p.before+p.secret+p.after+"\nb") }, all},
	{"JSON in JSON in the text", func(p planted) string { return quoted(`{"a":` + quoted("\n"+p.before+p.secret+p.after+"\n") + `}`) }, all},
	{"beside gitleaks:allow", func(p planted) string { return p.before + p.secret + p.after + " # gitleaks:allow" }, all},
	{"behind an escaped line feed", func(p planted) string { return `first\n` + p.before + p.secret + p.after + `\nlast` }, all},
	{"percent-encoded", func(p planted) string { return "q=" + url.QueryEscape("\n"+p.before+p.secret+p.after) }, known},
	{"every byte percent-encoded", func(p planted) string { return "q=" + everyByte(p.before+p.secret+p.after, "%%%02X") }, known},
	{"every byte escaped", func(p planted) string { return `s = "` + everyByte(p.before+p.secret+p.after, `\x%02x`) + `"` }, known},
	{"base64", func(p planted) string {
		return "data " + base64.StdEncoding.EncodeToString([]byte(p.before+p.secret+p.after))
	}, known},
	{"base64 for URLs", func(p planted) string {
		return "data=" + base64.RawURLEncoding.EncodeToString([]byte(p.before+p.secret+p.after))
	}, known},
	{"base64 in JSON", func(p planted) string {
		return quoted(base64.StdEncoding.EncodeToString([]byte(p.before+p.secret+p.after)) + "\n")
	}, known},
	{"wrapped base64", func(p planted) string {
		return "cat f\n" + wrap(base64.StdEncoding.EncodeToString([]byte(p.before+p.secret+p.after)), 20) + "\ndone"
	}, known},
	{"hexadecimal", func(p planted) string { return "dump: " + hex.EncodeToString([]byte(p.before+p.secret+p.after)) }, known},
	{"hexadecimal in capitals", func(p planted) string {
		return "0x" + strings.ToUpper(hex.EncodeToString([]byte("\n"+p.before+p.secret+p.after)))
	}, known},
	{"wrapped hexadecimal", func(p planted) string {
		return "xxd -p f\n" + wrap(hex.EncodeToString([]byte(p.before+p.secret+p.after)), 60) + "\n$"
	}, known},
	{"hexadecimal in base64", func(p planted) string {
		return base64.StdEncoding.EncodeToString([]byte(hex.EncodeToString([]byte(p.before + p.secret + p.after))))
	}, known},
	{"percent-encoded JSON in base64", func(p planted) string {
		return base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(quoted("\n" + p.before + p.secret + p.after))))
	}, known},
	{"glued to the next line", func(p planted) string {
		return `{"type":"a","text":` + quoted(p.before+p.secret+p.after) + `}{"type":"b","text":"next"}`
	}, all},
	{"a value of a query", func(p planted) string { return "GET /v1/x?token=" + p.secret + "&page=2 HTTP/1.1" }, prefixed},
	{"a path", func(p planted) string { return "/home/dev/keys/" + p.secret + ".txt" }, prefixed},
	{"in an option", func(p planted) string { return "deploy --token=" + p.secret + " --now" }, prefixed},
	{"cut by a line feed", func(p planted) string {
		return p.before + p.secret[:len(p.secret)/2] + "\n" + p.secret[len(p.secret)/2:] + "\nnext line"
	}, prefixed},
	{"cut by an indented line", func(p planted) string {
		return p.before + `"` + p.secret[:len(p.secret)/2] + "\" +\n\t\"" + p.secret[len(p.secret)/2:] + "\"\n"
	}, prefixed},
	{"cut by an escaped line feed", func(p planted) string {
		return p.before + p.secret[:len(p.secret)/2] + `\n` + p.secret[len(p.secret)/2:] + `\n`
	}, prefixed},
	{"on a long line", func(p planted) string {
		return strings.Repeat("filler words ", 4_000) + p.before + p.secret + p.after + strings.Repeat(" more filler", 4_000)
	}, all},
	{"in a line without a space", func(p planted) string {
		return strings.Repeat("x,", 9000) + strings.ReplaceAll(p.before, " ", ",") + p.secret + p.after + strings.Repeat(",y", 9000)
	}, prefixed},
}

func all(planted) bool { return true }

// known are secrets that a rule describes: what only looks random is not looked for behind encodings.
func known(p planted) bool { return p.name != "entropy" }

// prefixed are secrets that their own form tells.
func prefixed(p planted) bool {
	switch p.name {
	case "github", "aws", "anthropic", "gitlab", "slack":
		return true
	}
	return false
}

func quoted(text string) string {
	raw, _ := json.Marshal(text) // a string has a JSON form
	return string(raw)
}

func everyByte(text, format string) string {
	var out strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&out, format, text[i])
	}
	return out.String()
}

func wrap(text string, width int) string {
	var lines []string
	for ; len(text) > width; text = text[width:] {
		lines = append(lines, text[:width])
	}
	return strings.Join(append(lines, text), "\n")
}

func TestPlantedSecretsAreFoundInEveryEncoding(t *testing.T) {
	t.Parallel()
	for _, e := range written {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			r := newRedactor(t, Options{})
			for seed := range int64(3) {
				for _, p := range plant(seed + 1) {
					if !e.covers(p) {
						continue
					}
					text := e.encode(p)
					out := redacted(t, r, text)
					if !strings.Contains(out, markerStart) || survives(out, p.secret) {
						t.Errorf("%s, seed %d: %.300q is left of %.300q", p.name, seed, out, text)
					}
					if again := redacted(t, r, out); again != out {
						t.Errorf("%s: redacting twice changes %.200q to %.200q", p.name, out, again)
					}
				}
			}
		})
	}
}

// survives tells whether a piece of a secret that would be of use is left, in any of the encodings.
func survives(text, secret string) bool {
	for _, variant := range []string{text, strings.NewReplacer("\n", "", "\t", "", `\n`, "", `"`, "", " ", "", "+", "").Replace(text)} {
		if strings.Contains(variant, secret) {
			return true
		}
	}
	piece := secret[len(secret)-8:]
	for _, form := range []string{
		piece, everyByte(piece, "%%%02X"), everyByte(piece, `\x%02x`), hex.EncodeToString([]byte(piece)),
	} {
		if strings.Contains(text, form) {
			return true
		}
	}
	return false
}

func TestPrivateKeysGoAsAWhole(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewSource(3))
	body := wrap(random(rnd, base62+"+/", 1600), 64)
	r := newRedactor(t, Options{})
	for _, kind := range []string{"RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""} {
		begin, end := "-----BEGIN "+kind+"PRIVATE KEY-----\n", "\n-----END "+kind+"PRIVATE KEY-----\n"
		for name, text := range map[string]string{
			"plain": begin + body + end, "JSON": quoted(begin + body + end), "JSON twice": quoted(quoted(begin + body + end)),
			"without an end": begin + body, "indented": strings.ReplaceAll(begin+body+end, "\n", "\n    "),
			"base64": base64.StdEncoding.EncodeToString([]byte(begin + body + end)),
		} {
			out := redacted(t, r, "the key\n"+text+"\nand more text")
			for line := range strings.Lines(body) {
				if strings.Contains(out, strings.TrimSpace(line)) {
					t.Errorf("%skey, %s: %q is left", kind, name, line)
					break
				}
			}
			if !strings.Contains(out, "more text") || !strings.Contains(out, "the key") {
				t.Errorf("%skey, %s: too much is gone: %q", kind, name, out)
			}
		}
	}
}

func TestWhatIsNoSecretStays(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{})
	for _, text := range []string{
		"9fceb02d0ae598e95dc970b74767f19372d61af8", hex.EncodeToString([]byte("a line of text that says nothing of a key")),
		"commit 9fceb02d0ae598e95dc970b74767f19372d61af8 of refs/heads/main",
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"4f2a8f60-1c3d-4e5f-8a9b-0c1d2e3f4a5b",
		`"integrity": "sha512-2G9lMf5HYNeyKsDxZ8oG0rYwrWuIAxLXGrh3ZgdWBWr8WCWZtKcQyq3hzV9bCS3nEVbEK0ytiJZpEhh8TJpTcA=="`,
		"github.com/zeebo/blake3 v0.2.4 h1:KYQPkhpRtcqh0ssGYcKLG1JYvddkEA8QwCM/yBqhaZI=",
		"toolu_01A09q90qw90lq917835lq9", "toolu_01HxKq7Zr5vTn2YbWc8Jd4Lm6P", "req_011CQx5Yw3ZJk7Bn9Rt2Vm4L",
		"func TestTheQuickBrownFoxJumpsOverTheLazyDogAndRunsAway(t *testing.T) {",
		"https://example.com/a/b?c=d#e", "https://github.com/git-trace/git-trace/blob/main/cmd/git-trace/main.go#L10-L20",
		"postgres://user:$PASSWORD@localhost/db", "postgres://user:${DB_PASSWORD}@localhost/db", "http://user:password@example.com",
		"ssh://git@github.com/a/b.git", "password := os.Getenv(\"PASSWORD\")", "token = next_token(stream)",
		"node_modules/@babel/plugin-transform-async-to-generator/lib/index.js",
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "0123456789abcdef0123456789abcdef",
		"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
	} {
		if out := redacted(t, r, text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}

func TestHomesAndNamesAreTakenOut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want string }{
		{"/home/alice/src/app/main.go", "/home/user/src/app/main.go"},
		{"cd /Users/bob.smith/work && ls", "cd /Users/user/work && ls"},
		{`C:\Users\Carol\code`, `C:\Users\user\code`},
		{`"C:\\Users\\Carol\\code"`, `"C:\\Users\\user\\code"`},
		{"/mnt/c/Users/dave/x", "/mnt/c/Users/user/x"},
		{"file:///home/erin/x.txt", "file:///home/user/x.txt"},
		{"~/.claude/projects/-home-frank-src-app/s.jsonl", "~/.claude/projects/-home-user-src-app/s.jsonl"},
		{"see ~grace/notes", "see ~user/notes"},
		{"ask alice or (alice), not malice or alices", "ask user or (user), not malice or alices"},
		{"-rw-r--r-- 1 alice staff 12", "-rw-r--r-- 1 user staff 12"},
		{"alice alice", "user user"},
		{"/usr/home/page and /homely/x stay", "/usr/home/page and /homely/x stay"},
		{"HEAD~2/x and ~/x stay", "HEAD~2/x and ~/x stay"},
		{"the root user stays root", "the root user stays root"},
		{"/home/1000/src: line 1000 of 1000", "/home/user/src: line 1000 of 1000"},
	} {
		if out := redacted(t, newRedactor(t, Options{Names: []string{"alice", "root", "1000"}}), test.in); out != test.want {
			t.Errorf("%q became %q, want %q", test.in, out, test.want)
		}
	}
}

func TestTheUsersRules(t *testing.T) {
	t.Parallel()
	rules, err := ParseRules(strings.NewReader("# ours\nsecret project-(\\w+)-code\nallow ghp_.*\nname Falcon\n\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := newRedactor(t, Options{Rules: rules})
	token := plant(1)[0].secret
	got := redacted(t, r, "project-x17-code of Falcon uses "+token)
	if want := "project-[REDACTED:own-rule]-code of user uses " + token; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, bad := range []string{"secret (", "allow", "hide x", "secret x*"} {
		if _, err := ParseRules(strings.NewReader("# a\n" + bad)); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q gives %v", bad, err)
		}
	}
	if _, err := ParseRules(strings.NewReader("name Falcon\n" + strings.Repeat("# a comment\n", 100_000))); err == nil {
		t.Error("of a file that is too large the beginning is taken for all")
	}
	if newRedactor(t, Options{}).Fingerprint() == r.Fingerprint() {
		t.Error("rules do not change the fingerprint")
	}
}

func FuzzParseRules(f *testing.F) {
	for _, text := range []string{
		"# ours\nsecret project-(\\w+)-code\nallow ghp_.*\nname Falcon\n\n", "secret (", "secret x*", "name", "allow [", "\x00", "secret a\r\nname b\r\n",
		"secret (a{1000}){1000}", "secret " + strings.Repeat("(", 2000), strings.Repeat("name x\n", 500), "allow )|(",
	} {
		f.Add([]byte(text), "the code project-x17-code of Falcon")
	}
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		rules, err := ParseRules(bytes.NewReader(file))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") && !errors.Is(err, bufio.ErrTooLong) && len(file) <= maxRules {
				t.Fatalf("an error without a line: %v", err)
			}
			return
		}
		for _, s := range rules.find(text) {
			if s.start < 0 || s.start >= s.end || s.end > len(text) {
				t.Fatalf("found %d to %d of %d bytes", s.start, s.end, len(text))
			}
		}
		if rules.allowed(text) && len(rules.Allowed) == 0 {
			t.Fatal("allowed without a rule")
		}
		if rules.fingerprint(rules.Names, nil) == "" && len(rules.Secrets)+len(rules.Allowed)+len(rules.Names) > 0 {
			t.Fatal("rules without a fingerprint")
		}
	})
}
