package web

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
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

// routes are an address of each kind that a site answers.
var routes = []string{"/", "/log", "/t/x", "/t/x/p/1", "/t/x/1", "/t/x/steps/1-2", "/blame/HEAD/a", "/tree/HEAD/", "/commit/HEAD", "/diff/A..B", "/graph",
	"/search", "/stats", "/track/x", "/log-health", "/static/0/page.css", "/t/x/markdown", "/api/1/log", "/live", "/compare", "/compare/x/y", "/nothing"}

// Each pattern that the site answers has an address among the routes, and no two have the same.
func TestTheRoutesAreWhole(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("site.go")
	if err != nil {
		t.Fatal(err)
	}
	mux, found := http.NewServeMux(), map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\t+"(/[^"]*)": +[a-zA-Z]+,$|HandleFunc\("GET (/[^"]*)"`).FindAllStringSubmatch(string(raw), -1) {
		mux.HandleFunc(m[1]+m[2], func(http.ResponseWriter, *http.Request) {})
		found[m[1]+m[2]] = true
	}
	mux.HandleFunc(livePath, func(http.ResponseWriter, *http.Request) {})
	found[livePath] = true
	if len(found) != len(routes) {
		t.Errorf("%d patterns, %d routes", len(found), len(routes))
	}
	for _, path := range routes {
		_, pattern := mux.Handler(httptest.NewRequest(http.MethodGet, path, http.NoBody))
		delete(found, pattern)
	}
	if len(found) > 0 {
		t.Errorf("no address among the routes for %v", found)
	}
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
	if len(hosts) < 40 {
		t.Errorf("%d names", len(hosts))
	}
	for host, want := range hosts {
		for _, path := range routes {
			if w := guarded(t, func(r *http.Request) { r.Host, r.URL.Path = host, path }); w.Code != want {
				t.Errorf("Host %q, %s: status %d, not %d", host, path, w.Code, want)
			}
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
	w.Header().Del("Set-Cookie")
	for name, values := range w.Header() {
		if strings.Contains(strings.Join(values, " "), testToken) {
			t.Errorf("the header %s has the token: %q", name, values)
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

// What cannot be answered now says when to ask again: where too much is asked at once, and where an answer took too long.
func TestWhatIsBusySaysWhenToAskAgain(t *testing.T) {
	t.Parallel()
	hold, held := make(chan struct{}), make(chan struct{})
	g := newGuard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { held <- struct{}{}; <-hold }), testAddress, testToken)
	ask := func(ctx context.Context) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://"+testAddress+"/log", http.NoBody)
		r.AddCookie(&http.Cookie{Name: "gt4711", Value: testToken})
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		return w
	}
	var asking sync.WaitGroup
	for range mostRequests {
		asking.Go(func() { ask(t.Context()) })
		<-held
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	answers := map[string]*httptest.ResponseRecorder{"one request more": ask(gone), "an answer for programs": httptest.NewRecorder()}
	close(hold)
	asking.Wait()
	problem(answers["an answer for programs"], context.DeadlineExceeded)
	for name, w := range answers {
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "2" {
			t.Errorf("%s: status %d, %v", name, w.Code, w.Header())
		}
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
	if want := map[string]int{"prose.go template.HTML": 3, "report.go template.CSS": 2}; !maps.Equal(found, want) {
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
