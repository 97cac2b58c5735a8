package redact

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand"
	"net/url"
	"os"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/records/redact/gitleaks"
)

// sample writes a text that an expression matches; an optional part is written as often as not, a group as often as it
// must be.
func sample(rnd *rand.Rand, re *syntax.Regexp, out *strings.Builder) {
	switch re.Op {
	case syntax.OpLiteral:
		out.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		out.WriteRune(sampleClass(rnd, re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		out.WriteByte(base62[rnd.Intn(len(base62))])
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			sample(rnd, sub, out)
		}
	case syntax.OpAlternate:
		sample(rnd, re.Sub[rnd.Intn(len(re.Sub))], out)
	case syntax.OpPlus, syntax.OpRepeat:
		low := max(re.Min, 1)
		if re.Op == syntax.OpRepeat && re.Max > re.Min {
			low += rnd.Intn(min(re.Max-re.Min, 20))
		} else if re.Op == syntax.OpPlus || re.Max < 0 {
			low += rnd.Intn(16)
		}
		for range low {
			sample(rnd, re.Sub[0], out)
		}
	case syntax.OpQuest:
		if rnd.Intn(2) > 0 {
			sample(rnd, re.Sub[0], out)
		}
	default: // repeated as often as wanted, and boundaries
	}
}

// sampleClass prefers letters and digits.
func sampleClass(rnd *rand.Rand, ranges []rune) rune {
	var plain, other []rune
	for i := 0; i < len(ranges); i += 2 {
		for r := max(ranges[i], '!'); r <= min(ranges[i+1], '~'); r++ {
			if strings.ContainsRune(base62, r) {
				plain = append(plain, r)
			} else {
				other = append(other, r)
			}
		}
	}
	if len(plain) == 0 {
		plain = append(plain, other...)
		plain = append(plain, ranges[0])
	}
	return plain[rnd.Intn(len(plain))]
}

// secretForm is a secret of a known form. Service is the word that has to stand in the name of one that its own form
// does not tell.
type secretForm struct{ rule, service, secret string }

// planted puts the secret into a line.
func (f secretForm) planted() planted {
	if f.service == "" {
		return planted{f.rule, "the token is ", f.secret, " now"}
	}
	return planted{f.rule, f.name("_") + ` = "`, f.secret, `"`}
}

// name is what the secret is called.
func (f secretForm) name(between string) string {
	if f.service == "" {
		return strings.Join([]string{"service", "api", "key"}, between)
	}
	return strings.Join([]string{f.service, "api", "key"}, between)
}

// groupOf is the part of an expression that is the secret.
func groupOf(re *syntax.Regexp) *syntax.Regexp {
	if re.Op == syntax.OpCapture {
		return re
	}
	for _, sub := range re.Sub {
		if found := groupOf(sub); found != nil {
			return found
		}
	}
	return nil
}

// knownForms makes a secret for every rule of gitleaks but that for key blocks, and one for every form of this package.
func knownForms(t *testing.T, seed int64) []secretForm {
	t.Helper()
	var set struct {
		Rules []struct {
			ID, Regex string
			Keywords  []string
		}
	}
	raw, err := os.ReadFile("gitleaks/rules.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &set); err != nil {
		t.Fatal(err)
	}
	rules, err := gitleaks.Load()
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewSource(seed))
	var out []secretForm
	for _, rule := range set.Rules {
		if rule.ID == privateKeyRule || strings.HasPrefix(rule.ID, "curl-auth") || rule.ID == "kubernetes-secret-yaml" {
			continue
		}
		tree, err := syntax.Parse(rule.Regex, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		f := secretForm{rule: rule.ID}
		if strings.HasPrefix(rule.Regex, `(?i)[\w.-]{0,50}?`) {
			f.service = strings.Trim(rule.Keywords[0], ".-_ ")
		}
		secret := groupOf(tree)
		if secret == nil {
			secret = tree
		}
		for try := 0; ; try++ {
			if try == 300 {
				t.Logf("no secret of the form %s was made", rule.ID)
				break
			}
			var text strings.Builder
			sample(rnd, secret, &text)
			f.secret = strings.Trim(text.String(), " \n\"'`=")
			p := f.planted()
			line := p.before + p.secret + p.after
			list, err := rules.Find(line)
			if err != nil {
				t.Fatal(err)
			}
			if len(f.secret) >= 12 && slices.ContainsFunc(list, func(x gitleaks.Finding) bool { return strings.Contains(line[x.Start:x.End], f.secret) }) {
				out = append(out, f)
				break
			}
		}
	}
	byFirst := forms()
	for first := range byFirst {
		for _, f := range byFirst[first] {
			var letters []byte
			for c := byte('!'); c < 0x7f; c++ {
				if f.letter(c) && strings.IndexByte("-_.=/+%", c) < 0 {
					letters = append(letters, c)
				}
			}
			out = append(out, secretForm{rule: f.rule, secret: f.begin + "7" + random(rnd, string(letters), min(f.most, f.least+8)-1)})
		}
	}
	return out
}

// ways are the ways of writing that the package claims to see through.
var ways = []struct {
	name  string
	write func(f secretForm) string
}{
	{"plain", lineWith},
	{"in JSON", func(f secretForm) string { return `{"text":` + quoted(lineWith(f)) + `}` }},
	{"in JSON in JSON", func(f secretForm) string { return quoted(`{"text":` + quoted(lineWith(f)) + `}`) }},
	{"in JSON in JSON in JSON", func(f secretForm) string { return quoted(quoted(`{"text":` + quoted(lineWith(f)) + `}`)) }},
	{"percent-encoded", func(f secretForm) string { return "q=" + url.QueryEscape(lineWith(f)) + "&page=2" }},
	{"every byte percent-encoded", func(f secretForm) string { return "q=" + everyByte(lineWith(f), "%%%02X") }},
	{"escaped as \\x", func(f secretForm) string { return `s = "` + everyByte(lineWith(f), `\x%02x`) + `"` }},
	{"escaped as \\u", func(f secretForm) string { return `s = "` + everyByte(lineWith(f), `\u%04x`) + `"` }},
	{"escaped in octal", func(f secretForm) string { return `s = '` + everyByte(lineWith(f), `\%03o`) + `'` }},
	{"base64", func(f secretForm) string { return "data " + base64.StdEncoding.EncodeToString([]byte(lineWith(f))) }},
	{"base64, one byte on", func(f secretForm) string {
		return "data: " + base64.StdEncoding.EncodeToString([]byte("\n"+lineWith(f)))
	}},
	{"base64, two bytes on", func(f secretForm) string {
		return "--data=" + base64.StdEncoding.EncodeToString([]byte("{\n"+lineWith(f)+"}"))
	}},
	{"the middle of base64", func(f secretForm) string {
		return "…" + base64.StdEncoding.EncodeToString([]byte("\x00\xff" + lineWith(f)))[1:]
	}},
	{"base64 for URLs", func(f secretForm) string { return "data=" + base64.RawURLEncoding.EncodeToString([]byte(lineWith(f))) }},
	{"base64 of UTF-16LE", func(f secretForm) string {
		return "powershell -enc " + base64.StdEncoding.EncodeToString(wideBytes(lineWith(f), binary.LittleEndian))
	}},
	{"base64 of UTF-16BE", func(f secretForm) string {
		return base64.StdEncoding.EncodeToString(append([]byte{0xfe, 0xff}, wideBytes(lineWith(f), binary.BigEndian)...))
	}},
	{"wrapped base64", func(f secretForm) string {
		return "cat f\n" + wrap(base64.StdEncoding.EncodeToString([]byte(lineWith(f))), 76) + "\ndone"
	}},
	{"hexadecimal", func(f secretForm) string { return "dump: " + hex.EncodeToString([]byte(lineWith(f))) }},
	{"hexadecimal in capitals", func(f secretForm) string { return "0x" + strings.ToUpper(hex.EncodeToString([]byte("\n"+lineWith(f)))) }},
	{"hexadecimal of UTF-16", func(f secretForm) string { return hex.EncodeToString(wideBytes(lineWith(f), binary.LittleEndian)) }},
	{"xxd -p", func(f secretForm) string { return wrap(hex.EncodeToString([]byte(lineWith(f)+"\n")), 60) + "\n" }},
	{"coloured in the middle", func(f secretForm) string {
		p := f.planted()
		half := len(p.secret) / 2
		return p.before + p.secret[:half] + "\x1b[01;31m\x1b[K" + p.secret[half:] + "\x1b[m\x1b[K" + p.after
	}},
	{"coloured beside it", func(f secretForm) string {
		p := f.planted()
		return p.before + "\x1b[1;32m" + p.secret + "\x1b[0m" + p.after
	}},
	{"coloured and glued", func(f secretForm) string {
		p := f.planted()
		return "\x1b[36mINFO\x1b[0m" + p.before + "\x1b[38;5;12m" + p.secret + "\x1b[0m" + p.after + "\x1b]0;title\x07done"
	}},
	{"coloured in JSON", func(f secretForm) string {
		p := f.planted()
		return quoted(p.before + "\x1b[32m" + p.secret + "\x1b[39m" + p.after)
	}},
	{"coloured as cat -v shows it", func(f secretForm) string {
		p := f.planted()
		return p.before + "^[[32m" + p.secret + "^[[0m" + p.after
	}},
	{"entities by name", func(f secretForm) string { return "<p>" + byName(lineWith(f)) + "</p>" }},
	{"entities by number", func(f secretForm) string { return "<p>" + everyByte(lineWith(f), "&#%d;") + "</p>" }},
	{"entities by hexadecimal number", func(f secretForm) string { return "<p>" + everyByte(lineWith(f), "&#x%X;") + "</p>" }},
	{"CDATA", func(f secretForm) string {
		return "<" + f.name("-") + "><![CDATA[" + f.secret + "]]></" + f.name("-") + ">"
	}},
	{"an element of XML", func(f secretForm) string { return "<" + f.name("_") + ">" + f.secret + "</" + f.name("_") + ">" }},
	{"UTF-16 read as bytes", func(f secretForm) string { return string(wideBytes(lineWith(f), binary.LittleEndian)) }},
	{"characters without width", func(f secretForm) string {
		p := f.planted()
		return "\ufeff" + p.before + p.secret[:9] + "\u200b" + p.secret[9:] + p.after
	}},
	{"wrapped by a terminal", func(f secretForm) string {
		return wrap("2026-11-02 10:00:01 INFO deploy starts: "+lineWith(f)+" and goes on", 70)
	}},
	{"wrapped in a box", func(f secretForm) string { return boxed("the deployment of the service uses "+lineWith(f), 60) }},
	{"continued with a backslash", func(f secretForm) string {
		p := f.planted()
		half := len(p.secret) / 2
		return "curl \\\n  " + p.before + p.secret[:half] + "\\\n" + p.secret[half:] + p.after + "\n"
	}},
	{"a block of YAML", func(f secretForm) string {
		return "config:\n  " + f.name("_") + ": |\n    " + f.secret + "\n  other: 1\n"
	}},
	{"a folded block of YAML", func(f secretForm) string { return f.name("_") + ": >-\n  " + f.secret + "\nother: 1\n" }},
	{".env", func(f secretForm) string {
		return "DEBUG=1\n" + strings.ToUpper(f.name("_")) + "=" + f.secret + "\nPORT=80\n"
	}},
	{"export", func(f secretForm) string {
		return "$ export " + strings.ToUpper(f.name("_")) + "='" + f.secret + "' && make"
	}},
	{"PowerShell", func(f secretForm) string { return "$env:" + strings.ToUpper(f.name("_")) + " = \"" + f.secret + "\"" }},
	{"docker run -e", func(f secretForm) string {
		return "docker run -e " + strings.ToUpper(f.name("_")) + "=" + f.secret + " image"
	}},
	{"an option", func(f secretForm) string { return "deploy --" + f.name("-") + " " + f.secret + " --now" }},
	{"an option with a sign", func(f secretForm) string { return "deploy --" + f.name("-") + "=" + f.secret + " --now" }},
	{"a password in a URL", func(f secretForm) string {
		return "git clone https://bot:" + url.QueryEscape(f.secret) + "@example.com/a.git"
	}},
	{"a header", func(f secretForm) string { return "> X-" + f.name("-") + ": " + f.secret + "\r\n> Accept: */*\r\n" }},
	{"a bearer's header", func(f secretForm) string {
		return `curl -H "Authorization: Bearer ` + f.secret + `" https://example.com`
	}},
	{"a table", func(f secretForm) string {
		return "| name | value |\n|---|---|\n| `" + f.name("_") + "` | `" + f.secret + "` |\n"
	}},
	{"a fence", func(f secretForm) string { return "Use this:\n```sh\n" + lineWith(f) + "\n```\n" }},
	{"an added line", func(f secretForm) string { return "@@ -1,2 +1,2 @@\n a\n+" + lineWith(f) + "\n b\n" }},
	{"a removed line", func(f secretForm) string { return "@@ -1,2 +1,2 @@\n a\n-" + lineWith(f) + "\n b\n" }},
	{"cat -n", func(f secretForm) string { return numbered("first\n"+lineWith(f)+"\nlast", "%6d\t") }},
	{"an agent's numbers of lines", func(f secretForm) string { return numbered("first\n"+lineWith(f)+"\nlast", "%6d→") }},
	{"grep -n", func(f secretForm) string { return "config/app.py:12:" + lineWith(f) + "\nconfig/app.py:13:x" }},
	{"base64 behind the numbers of lines", func(f secretForm) string {
		return numbered(wrap(base64.StdEncoding.EncodeToString([]byte(lineWith(f))), 64), "%6d→")
	}},
	{"an added file of base64", func(f secretForm) string {
		return "+" + strings.ReplaceAll(wrap(base64.StdEncoding.EncodeToString([]byte(lineWith(f))), 64), "\n", "\n+") + "\n+end"
	}},
}

func lineWith(f secretForm) string {
	p := f.planted()
	return p.before + p.secret + p.after
}

func wideBytes(text string, order binary.AppendByteOrder) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, unit)
	}
	return out
}

func numbered(text, format string) string {
	var out strings.Builder
	for i, line := range strings.Split(text, "\n") {
		fmt.Fprintf(&out, format+"%s\n", i+1, line)
	}
	return out.String()
}

func boxed(text string, width int) string {
	var out strings.Builder
	for _, line := range strings.Split(wrap(text, width), "\n") {
		fmt.Fprintf(&out, "│ %-*s │\n", width, line)
	}
	return out.String()
}

// named writes what has a name in HTML by it.
func byName(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;", "_", "&lowbar;", "=", "&equals;", ".", "&period;", ":", "&colon;", "/", "&sol;",
		"+", "&plus;", "-", "&hyphen;").Replace(text)
}

// markers are what stands in the place of secrets: the names of rules may be like the beginnings of secrets.
var markers = regexp.MustCompile(`\[REDACTED:[a-z0-9-]+\]`)

// remains gives a piece of a secret that is left in a text, in any of the encodings; "" when none is.
func remains(text, secret string) string {
	const size = 8
	text = markers.ReplaceAllString(text, "[]")
	bare := strings.NewReplacer("\n", "", "\t", "", `\n`, "", `"`, "", " ", "", "\\", "", "│", "", "\x00", "", "\x1b[01;31m\x1b[K", "", "\u200b", "").Replace(text)
	for at := 0; at+size <= len(secret); at++ {
		piece := secret[at : at+size]
		wide := wideBytes(piece, binary.LittleEndian)
		for _, form := range []string{
			everyByte(piece, "%%%02X"), everyByte(piece, `\x%02x`), everyByte(piece, `\u%04x`), everyByte(piece, `\%03o`), everyByte(piece, "&#%d;"), everyByte(piece, "&#x%X;"), byName(piece),
			url.QueryEscape(piece), strings.TrimSpace(everyByte(piece, " %02x")), strings.TrimSpace(everyByte(piece, " %03o")), strings.Trim(everyByte(piece, "%d,"), ","),
			strings.TrimSpace(everyByte(piece, "   %c")), strings.Trim(everyByte(piece, "0x%02x, "), ", "), strings.TrimSpace(fmt.Sprintf("% x", wide)),
		} {
			if strings.Contains(text, form) {
				return form
			}
		}
		for _, form := range []string{piece, hex.EncodeToString([]byte(piece)), strings.ToUpper(hex.EncodeToString([]byte(piece))), hex.EncodeToString(wide)} {
			if strings.Contains(bare, form) {
				return form
			}
		}
		for skip := range 3 {
			for _, data := range [][]byte{[]byte(piece), wide} {
				inner := base64.StdEncoding.EncodeToString(append(make([]byte, skip), data...))
				inner = strings.TrimRight(inner, "=")
				if inner = inner[(skip*8+5)/6 : len(inner)-1]; strings.Contains(bare, inner) || strings.Contains(bare, strings.NewReplacer("+", "-", "/", "_").Replace(inner)) {
					return inner
				}
			}
		}
	}
	return ""
}

// leastFound is the share of known forms that must be found in each way of writing.
const leastFound = 0.98

func TestKnownFormsAreFoundInEveryWayOfWriting(t *testing.T) {
	t.Parallel()
	list := knownForms(t, 11)
	if len(list) < 147 || len(ways) < 30 {
		t.Fatalf("%d secrets, %d ways", len(list), len(ways))
	}
	rules, err := gitleaks.Load()
	if err != nil {
		t.Fatal(err)
	}
	every := testenv.Pick(16, 4, 1) // of the forms, others in each way
	for i, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			list := slices.DeleteFunc(slices.Clone(list), func(f secretForm) bool { return every > 1 && (slices.Index(list, f)+i)%every > 0 })
			r := newRedactor(t, Options{Finder: rules})
			found := 0
			for _, f := range list {
				text := way.write(f)
				out := redacted(t, r, text)
				left := remains(out, f.secret)
				if left == "" && strings.Contains(out, markerStart) {
					found++
				} else {
					t.Logf("%s: %q is left of %q", f.rule, left, text)
				}
			}
			t.Logf("%d of %d are found", found, len(list))
			if missed := len(list) - found; float64(missed) > max(1, (1-leastFound)*float64(len(list))) {
				t.Errorf("%d of %d are missed", missed, len(list))
			}
		})
	}
}
