package web

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/view"
)

// helpers lists the functions of templates.
var helpers = template.FuncMap{
	"static":    func(name string) string { return "/static/" + assetHash() + "/" + name },
	"hue":       hue,
	"ago":       func(at time.Time) string { return numbers.Ago(at, time.Now()) },
	"age":       func(at time.Time) string { return numbers.Age(at, time.Now()) },
	"stamp":     func(at time.Time) string { return at.UTC().Format(time.RFC3339) },
	"exact":     func(at time.Time) string { return at.Local().Format("Mon 2 Jan 2006, 15:04:05") },
	"clock":     func(at time.Time) string { return at.Local().Format("15:04:05") },
	"day":       func(at time.Time) string { return at.Local().Format(time.DateOnly) },
	"thousands": func(n any) string { return numbers.Thousands(whole(n)) },
	"brief":     func(n any) string { return numbers.Short(int64(whole(n))) },
	"count":     numbers.Count,
	"percent":   percent,
	"cut":       func(text any, n int) string { return cells.Cut(cells.Line(plain(text)), n) },
	"cutpath":   func(path any, n int) string { return cells.CutLeft(cells.Line(plain(path)), n) },
	"tidy":      tidy,
	"prose":     prose,
	"oid":       func(id any) string { return fmt.Sprintf("%.7s", plain(id)) },
	"model":     view.ModelName,
	"dollars":   numbers.Dollars,
	"took":      numbers.Took,
	"at":        at,
	"bar":       bar,
	"deref":     deref,
	"known":     known,
	"name":      nameOf,
	"writer":    writerOf,
	"list":      func(items ...any) []any { return items },
}

// `plain` returns a value as text, also if it is behind a pointer; "" for nil.
func plain(v any) string {
	if at := reflect.ValueOf(v); at.Kind() == reflect.Pointer {
		if at.IsNil() {
			return ""
		}
		if _, speaks := v.(fmt.Stringer); !speaks {
			return fmt.Sprint(at.Elem().Interface())
		}
	}
	return fmt.Sprint(v)
}

func whole(n any) int {
	if at := reflect.ValueOf(n); at.Kind() == reflect.Pointer && !at.IsNil() {
		n = at.Elem().Interface()
	}
	switch n := n.(type) {
	case int:
		return n
	case int64:
		return int(n)
	}
	return 0
}

// hue returns the colour of a conversation. It is the same on every page and in every editor.
func hue(trace any) string {
	return "h" + strconv.Itoa(cells.Hue(plain(trace)))
}

// `at` returns the address of a page from its name and the parts of a path. It escapes each part, which may contain any
// characters.
func at(parts ...any) string {
	var b strings.Builder
	for _, part := range parts {
		for name := range strings.SplitSeq(plain(part), "/") {
			b.WriteString("/" + url.PathEscape(name))
		}
	}
	return b.String()
}

func percent(part, all int) string {
	if all == 0 {
		return ""
	}
	return strconv.Itoa(numbers.Shares([]int{part, all - part}, all)[0]) + " %"
}

// tidy returns a text of several lines in the form in which it is shown.
func tidy(text string) string {
	return strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// deref returns the value behind a pointer; "" for a nil pointer, and any other value unchanged.
func deref(v any) any {
	at := reflect.ValueOf(v)
	switch {
	case at.Kind() != reflect.Pointer:
		return v
	case at.IsNil():
		return ""
	}
	return at.Elem().Interface()
}

// share is a part of a bar.
type share struct {
	Kind        string // ai, human, older or unknown
	From, Width float64
}

// bar returns the shares of the owners of lines; they add up to 100.
func bar(lines numbers.Owned) []share {
	all := lines.Sum()
	if all == 0 {
		return nil
	}
	var out []share
	from := 0.0
	for _, p := range lines.Parts() {
		width := math.Round(float64(p.Lines)*1000/float64(all)) / 10
		if p.Lines > 0 {
			out = append(out, share{p.Kind, from, width})
		}
		from += width
	}
	return out
}

// `marked` makes characters visible that control the display. It works on the whole page, so that no field is
// forgotten: the markup of templates has no such characters.
func marked(page []byte) []byte {
	acts := func(c byte) bool { return c < ' ' && c != '\n' && c != '\t' || c >= 0x7f }
	at := slices.IndexFunc(page, acts)
	if at < 0 {
		return page
	}
	out := append(make([]byte, 0, len(page)+len(page)/8), page[:at]...)
	for rest := page[at:]; len(rest) > 0; {
		if !acts(rest[0]) {
			n := slices.IndexFunc(rest, acts)
			if n < 0 {
				n = len(rest)
			}
			out, rest = append(out, rest[:n]...), rest[n:]
			continue
		}
		r, n := utf8.DecodeRune(rest)
		if r != utf8.RuneError && cells.Printable(r) {
			out = append(out, rest[:n]...)
		} else {
			out = append(out, html.EscapeString(cells.Safe(string(rest[:n])))...)
		}
		rest = rest[n:]
	}
	return out
}
