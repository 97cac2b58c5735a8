package web

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	testAddress = "127.0.0.1:4711"
	testToken   = "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf"
)

// guarded asks a guarded server that answers everything with a secret.
func guarded(t *testing.T, change func(*http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	secret := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("secret")) })
	g := newGuard(secret, testAddress, testToken)
	r := httptest.NewRequest(http.MethodGet, "http://"+testAddress+"/log?agent=x", http.NoBody)
	r.AddCookie(&http.Cookie{Name: "gt4711", Value: testToken})
	change(r)
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	if w.Code != http.StatusOK && strings.Contains(w.Body.String(), "secret") {
		t.Errorf("status %d, and yet the answer is given", w.Code)
	}
	return w
}

func TestOnlyThreeNamesAreAnswered(t *testing.T) {
	t.Parallel()
	hosts := map[string]int{"127.0.0.1:4711": 200, "localhost:4711": 200, "[::1]:4711": 200}
	for _, other := range []string{"", "127.0.0.1", "localhost", "127.0.0.1:80", "127.0.0.2:4711", "evil.example:4711",
		"127.0.0.1.evil.example:4711", "localhost.evil.example:4711", "evil.example", "127.0.0.1:4711.evil.example",
		"127.0.0.1:4711@evil.example", "LOCALHOST:4711", "localhost.:4711", "0.0.0.0:4711", "[::]:4711", "::1:4711",
		"[::ffff:127.0.0.1]:4711", "127.1:4711", "2130706433:4711", "0x7f000001:4711", "017700000001:4711",
		"127.0.0.1:04711", "127.0.0.1:4712", "localhost:", ":4711", "127.0.0.1:4711 ", " 127.0.0.1:4711",
		"127.0.0.1:4711,evil.example", "rebind.localhost:4711", "1.0.0.127.in-addr.arpa:4711", "localhost%00:4711",
		"127.0.0.1:4711/", "127.0.0.1:4711#", "127.0.0.1:4711?", "192.168.0.1:4711", "10.0.0.1:4711", "host.docker.internal:4711",
	} {
		hosts[other] = http.StatusForbidden
	}
	for host, want := range hosts {
		if w := guarded(t, func(r *http.Request) { r.Host = host }); w.Code != want {
			t.Errorf("Host %q: status %d, not %d", host, w.Code, want)
		}
	}
}

func TestOtherPagesAreNotAnswered(t *testing.T) {
	t.Parallel()
	for site, want := range map[string]int{"": 200, "same-origin": 200, "none": 200, "cross-site": 403, "same-site": 403,
		"anything": 403} {
		w := guarded(t, func(r *http.Request) {
			if site != "" {
				r.Header.Set("Sec-Fetch-Site", site)
			}
			r.Header.Set("Origin", "http://evil.example")
		})
		if w.Code != want {
			t.Errorf("Sec-Fetch-Site %q: status %d, not %d", site, w.Code, want)
		}
		for name := range w.Header() {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("the header %s lets other pages read", name)
			}
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get"} {
		if w := guarded(t, func(r *http.Request) { r.Method = method }); w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: status %d", method, w.Code)
		}
	}
}

func TestWithoutTheTokenNothingIsAnswered(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*http.Request){
		"no cookie":          func(r *http.Request) { r.Header.Del("Cookie") },
		"no cookie, a style": func(r *http.Request) { r.Header.Del("Cookie"); r.URL.Path = "/static/x/page.css" },
		"another token":      func(r *http.Request) { r.Header.Set("Cookie", "gt4711="+strings.Repeat("0", 64)) },
		"half a token":       func(r *http.Request) { r.Header.Set("Cookie", "gt4711="+testToken[:32]) },
		"an empty token":     func(r *http.Request) { r.Header.Set("Cookie", "gt4711=") },
		"another port":       func(r *http.Request) { r.Header.Set("Cookie", "gt4712="+testToken) },
		"in the Referer": func(r *http.Request) {
			r.Header.Del("Cookie")
			r.Header.Set("Referer", "http://"+testAddress+"/?k="+testToken)
		},
		"a wrong one in the address": func(r *http.Request) { r.URL.RawQuery = "k=" + testToken[1:] + "0" },
		"an empty one there":         func(r *http.Request) { r.URL.RawQuery = "k=" },
	} {
		w := guarded(t, change)
		if w.Code != http.StatusUnauthorized || len(w.Header()["Set-Cookie"]) > 0 {
			t.Errorf("%s: status %d, %v", name, w.Code, w.Header())
		}
	}
}

func TestTheTokenBecomesACookie(t *testing.T) {
	t.Parallel()
	w := guarded(t, func(r *http.Request) {
		r.Header.Del("Cookie")
		r.Header.Set("Sec-Fetch-Site", "cross-site") // as from the file that opens the browser
		r.URL.RawQuery = "agent=x&k=" + testToken
	})
	cookie := w.Header().Get("Set-Cookie")
	for _, want := range []string{"gt4711=" + testToken, "HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("no %s in %q", want, cookie)
		}
	}
	if body := w.Body.String(); w.Code != 200 || strings.Contains(body, testToken) || !strings.Contains(body, "url=/log?agent=x") {
		t.Errorf("status %d\n%s", w.Code, body)
	}
	// An address that leads elsewhere is one of this server all the same.
	w = guarded(t, func(r *http.Request) { r.URL.Path, r.URL.RawQuery = "//evil.example/", "k="+testToken })
	if body := w.Body.String(); !strings.Contains(body, `url=/evil.example/`) {
		t.Error(body)
	}
}

func TestEveryAnswerHasThePolicy(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*http.Request){func(*http.Request) {}, func(r *http.Request) { r.Header.Del("Cookie") },
		func(r *http.Request) { r.URL.RawQuery = "k=" + testToken }} {
		h := guarded(t, change).Header()
		policy := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'",
			"base-uri 'none'", "form-action 'self'", "require-trusted-types-for 'script'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("no %s in %s", want, policy)
			}
		}
		for name, want := range map[string]string{"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff",
			"Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin"} {
			if h.Get(name) != want {
				t.Errorf("%s is %q", name, h.Get(name))
			}
		}
	}
}

// What would act on a screen, or on the order of the text, is shown as what it is; what only shows itself stays.
func TestMarksOfWhatActsOnTheScreen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain\ttext\n":               "plain\ttext\n",
		"é 漢字 🙂":                      "é 漢字 🙂",
		"\x1b[31mred":                 "^[[31mred",
		"a\u202eb":                    "a&lt;U+202E&gt;b",
		"bad \xff byte":               "bad &lt;FF&gt; byte",
		"\x00":                        "^@",
		`<p title="a` + "\x07" + `">`: `<p title="a^G">`,
	} {
		if got := string(marked([]byte(text))); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

// Nothing in this package says of a text of others that it is markup, script or an address. The style in a report is
// this package's own.
func TestNoTextIsSaidToBeMarkup(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 20 {
		t.Fatalf("%v %v", files, err)
	}
	said := regexp.MustCompile(`template\.(HTML|HTMLAttr|JS|JSStr|URL|Srcset|CSS)\b`)
	found := map[string]int{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, what := range said.FindAllString(string(text), -1) {
			found[name+" "+what]++
		}
	}
	if want := map[string]int{"report.go template.CSS": 2}; !maps.Equal(found, want) {
		t.Errorf("%v, not %v", found, want)
	}
}

// Conversations of which another clone tells are marked with it; those of this one are not.
func TestWhatAnotherCloneSaysIsMarked(t *testing.T) {
	t.Parallel()
	f := &frame{writer: func() string { return "820ec5a86ce6e1b5" }}
	for writer, want := range map[string]string{"": "", "820ec5a86ce6e1b5": "", "77ab0000ffff0000": "77ab000…"} {
		if got := f.Foreign(writer); got != want {
			t.Errorf("%q: %q, not %q", writer, got, want)
		}
	}
}
