package web

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Limits for a client's requests.
const (
	mostRequests = 8                // requests at once
	mostTime     = 30 * time.Second // time for one answer
	mostHeader   = 8 << 10          // bytes
	retryAfter   = "2"              // seconds, if there is no answer at present
)

// policy limits the browser's rights on a page: to show it with this server's style and script.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"font-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// guard lets only those requests pass that the person's own browser makes for the person.
type guard struct {
	next  http.Handler
	hosts map[string]bool
	token string
	name  string // name of the cookie
	slots chan struct{}
}

// newToken returns a secret of 256 bits.
func newToken() string {
	var raw [32]byte
	_, _ = rand.Read(raw[:]) // never fails (crypto/rand)
	return hex.EncodeToString(raw[:])
}

// newGuard guards a server that listens on an address.
func newGuard(next http.Handler, address, token string) *guard {
	host, port, _ := net.SplitHostPort(address)
	g := &guard{next: next, hosts: map[string]bool{address: true}, token: token, name: "gt" + port,
		slots: make(chan struct{}, mostRequests)}
	for _, name := range []string{"127.0.0.1", "localhost", "::1"} {
		g.hosts[net.JoinHostPort(name, port)] = true
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() { // any address of this machine is allowed
		list, _ := net.InterfaceAddrs()
		for _, a := range list {
			if own, is := a.(*net.IPNet); is {
				g.hosts[net.JoinHostPort(own.IP.String(), port)] = true
			}
		}
	}
	return g
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.hosts[r.Host] { // a foreign name that resolves to this machine (DNS rebinding)
		http.Error(w, "this server does not have that name", http.StatusForbidden)
		return
	}
	harden(w.Header())
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "this server only reads", http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Query().Has("k") {
		g.admit(w, r)
		return
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		http.Error(w, "the request came from another page", http.StatusForbidden)
		return
	}
	if cookie, err := r.Cookie(g.name); err != nil || !g.knows(cookie.Value) {
		http.Error(w, "open the address that git trace serve printed", http.StatusUnauthorized)
		return
	}
	if r.URL.Path == livePath { // a long request with its own limit
		g.next.ServeHTTP(w, r)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), mostTime)
	defer cancel()
	select {
	case g.slots <- struct{}{}:
		defer func() { <-g.slots }()
		g.next.ServeHTTP(w, r.WithContext(ctx))
	case <-ctx.Done():
		busy(w, "too much is asked at once")
	}
}

// `busy` answers that a later request may succeed.
func busy(w http.ResponseWriter, what string) {
	again(w.Header(), http.StatusServiceUnavailable)
	http.Error(w, what, http.StatusServiceUnavailable)
}

// `again` sets the time of the next try if the status says that there is no answer at present.
func again(h http.Header, status int) {
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", retryAfter)
	}
}

// harden sets the headers of every answer. Browsers must not store it, because texts of a conversation would outlive
// the server, and a purge.
func harden(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

func (g *guard) knows(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(g.token)) == 1
}

// admit moves the token from the address into a cookie. It answers with a page that reloads itself, because browsers
// send a strict cookie only with requests from a page of this server.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if !g.knows(query.Get("k")) {
		http.Error(w, "the address is from another start of git trace serve", http.StatusUnauthorized)
		return
	}
	query.Del("k")
	next := url.URL{Path: "/" + strings.TrimLeft(r.URL.Path, "/"), RawPath: r.URL.RawPath, RawQuery: query.Encode()}
	http.SetCookie(w, &http.Cookie{Name: g.name, Value: g.token, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode})
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = pages().ExecuteTemplate(w, "open", next.String())
}
