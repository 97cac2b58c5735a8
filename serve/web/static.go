package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// assetNames lists the files that pages load.
var assetNames = []string{"page.css", "page.js"}

// asset is a file in the form in which it is sent.
type asset struct {
	kind          string
	plain, packed []byte
}

// ready holds the compressed assets. They are the same for every repository.
var ready = sync.OnceValue(func() map[string]asset {
	out := map[string]asset{}
	for _, name := range assetNames {
		content, _ := assets.ReadFile("static/" + name) // embedded, so it cannot fail
		one := asset{kind: "text/javascript; charset=utf-8", plain: bare(content)}
		if strings.HasSuffix(name, ".css") {
			one.kind, one.plain = "text/css; charset=utf-8", tight(content)
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(one.plain) // a write to memory cannot fail
		_ = w.Close()
		one.packed = packed.Bytes()
		out[name] = one
	}
	return out
})

// `tight` removes comments and needless white space from a style sheet. No string in the style sheet has white space
// beside such a sign.
func tight(style []byte) []byte {
	for _, step := range []struct{ find, put string }{
		{`(?s)/\*.*?\*/`, ""}, {`\s+`, " "}, {` ?([{};,>]) ?`, "$1"}, {`: `, ":"}, {`;}`, "}"},
	} {
		style = regexp.MustCompile(step.find).ReplaceAll(style, []byte(step.put))
	}
	return bytes.TrimSpace(style)
}

// bare removes comments and indentation from a script. No string in the script continues on the next line.
func bare(script []byte) []byte {
	var out []byte
	for line := range bytes.Lines(script) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !bytes.HasPrefix(line, []byte("//")) {
			out = append(append(out, line...), '\n')
		}
	}
	return out
}

// assetHash is part of the assets' names, so that browsers may cache them forever.
var assetHash = sync.OnceValue(func() string {
	sum := sha256.New()
	for _, name := range assetNames {
		sum.Write(ready()[name].plain)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
})

// `static` sends the style sheet or the script.
func (s *Site) static(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	file, known := ready()[name]
	if !known || r.PathValue("hash") != assetHash() {
		s.fail(w, r, fmt.Errorf("the file '%s': %w", name, errNotFound))
		return
	}
	w.Header().Set("Content-Type", file.kind)
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	w.Header().Set("Vary", "Accept-Encoding")
	body := file.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		body = file.packed
	}
	_, _ = w.Write(body)
}
