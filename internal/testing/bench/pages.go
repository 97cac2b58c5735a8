package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Limits for pages in milliseconds, and for the memory of their server in MB.
const (
	firstPage   = 150 // includes the start of the server
	listPage    = 50
	talkPage    = 80
	firstSearch = 60 // ms for words that were not searched before
	blamePage   = 100
	serveMemory = 150
)

// Limits for the sent data in kB, and for the number of a browser's requests for a page and its parts.
const (
	listBytes   = 60
	talkBytes   = 200
	blameBytes  = 300
	blamePacked = 50
	styleBytes  = 15
	scriptBytes = 20
	mostAsked   = 4
)

// pageRow is a page with the limits for its time and size.
type pageRow struct {
	name, path string
	bound      float64
	bytes      float64
	lines      int     // number of the file's lines that bytes is for; 0: bytes is for the whole page
	first      float64 // limit for the first request; 0: the same as for the others
}

// serving measures the pages of git trace serve, with many conversations, and with a long history and a long log. Each
// round starts a new server, so that no answer is cached from the previous round.
func serving(stored, log int) []scenario {
	talks := []pageRow{
		{"/log", "/log", listPage, listBytes, 0, 0},
		{"/search, a word of many", "/search?q=widget3", listPage, listBytes, 0, firstSearch},
		{"/t, 30 steps", "", talkPage, talkBytes, 0, 0},
		{"/t, 1,000 steps", "/t/" + string(traceOf(longSession)), talkPage, talkBytes, 0, 0},
	}
	history := []pageRow{
		{"/graph", "/graph", listPage, listBytes, 0, 0},
		{"/blame, 2,500 lines", "/blame/HEAD/" + hotFile, blamePage, blameBytes, hotLines, 0},
	}
	return []scenario{
		pages(size(stored)+" conversations", talks, func(b *bench) (string, error) {
			return b.place("conversations-"+size(stored), func(dir string) error { return b.makeConversations(dir, stored) })
		}),
		pages(size(log)+" events", history, func(b *bench) (string, error) { return b.history(quickCommits, log) }),
	}
}

func pages(of string, rows []pageRow, place func(*bench) (string, error)) scenario {
	s := scenario{
		name: "pages, " + of,
		rows: []row{
			{"start of the server, and /, " + of, "start", "", limit, firstPage},
			{"/ again, " + of, "/", "", limit, listPage},
			{"memory of the server, " + of, "memory", "", count, serveMemory},
			{"/, kB, " + of, "/ kB", "", count, listBytes},
			{"requests of /, " + of, "asked", "", count, mostAsked},
			{"style sheet as it is sent, kB, " + of, "page.css", "", count, styleBytes},
			{"script as it is sent, kB, " + of, "page.js", "", count, scriptBytes},
		},
	}
	for _, p := range rows {
		s.rows = append(s.rows, row{p.name + " for the first time, " + of, p.name, "", limit, cmp.Or(p.first, p.bound)})
		s.rows = append(s.rows, row{p.name + " again, " + of, p.name + " again", "", limit, p.bound})
		s.rows = append(s.rows, row{p.name + ", kB, " + of, p.name + " kB", "", count, p.bytes})
		if p.bytes == blameBytes {
			s.rows = append(s.rows, row{p.name + ", compressed, kB, " + of, p.name + " packed", "", count, blamePacked})
		}
	}
	s.prepare = func(b *bench) (func(int, *recorder) error, error) {
		dir, err := place(b)
		if err != nil {
			return nil, err
		}
		for i, p := range rows {
			if p.path == "" {
				out, err := b.output(b.trace(dir, "log", "-n", "2", "--format", "%H")) // the newest is the long conversation
				ids := strings.Fields(out)
				if err != nil || len(ids) < 2 {
					return nil, fmt.Errorf("git trace log gives %q: %w", out, err)
				}
				rows[i].path = "/t/" + ids[1]
			}
		}
		return func(_ int, r *recorder) error { return b.servePages(dir, rows, r) }, nil
	}
	return s
}

// servePages starts a server, and requests each page twice.
func (b *bench) servePages(dir string, rows []pageRow, r *recorder) (err error) {
	cmd := b.trace(dir, "serve")
	said, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	client := &http.Client{Jar: jar}
	base := ""
	if err := r.time("start", func() error {
		if err := cmd.Start(); err != nil {
			return err
		}
		line, err := bufio.NewReader(said).ReadString('\n')
		if err != nil {
			return fmt.Errorf("git trace serve says %q: %w", line, err)
		}
		base, _, _ = strings.Cut(strings.TrimSpace(line), "/?k=")
		if _, err := fetch(client, strings.TrimSpace(line)); err != nil { // turns the secret into a cookie
			return err
		}
		_, err = fetch(client, base+"/")
		return err
	}); err != nil {
		return err
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait() // the signal ends it
	}()
	ask := func(name, path string) (body []byte, err error) {
		err = r.time(name, func() error {
			body, err = fetch(client, base+path)
			return err
		})
		return body, err
	}
	home, err := ask("/", "/")
	if err != nil {
		return err
	}
	if err := belonging(client, base, home, r); err != nil {
		return err
	}
	for _, p := range rows {
		for _, name := range []string{p.name, p.name + " again"} {
			body, err := ask(name, p.path)
			if err != nil {
				return err
			}
			share := 1000.0
			if p.lines > 0 { // the history has made the file longer
				raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(hotFile)))
				if err != nil {
					return err
				}
				share *= float64(bytes.Count(raw, []byte("\n"))) / float64(p.lines)
			}
			r.set(p.name+" kB", float64(len(body))/share)
			r.set(p.name+" packed", float64(packed(body))/share)
		}
	}
	r.set("memory", max(r.of("memory").count, peakOf(cmd.Process.Pid)))
	return nil
}

// belonging requests the files that a page names, as a browser does. It records the sizes of the page and of these
// files, and the number of requests: the page, the files, and the request for news.
func belonging(client *http.Client, base string, page []byte, r *recorder) error {
	asked := 2.0
	for _, m := range regexp.MustCompile(`<(?:link|script|img)\s[^>]*(?:href|src)="([^"]+)"`).FindAllSubmatch(page, -1) {
		asked++
		address := string(m[1])
		if !strings.HasPrefix(address, "/static/") {
			return fmt.Errorf("the page asks for %s", address)
		}
		wanted, err := http.NewRequest(http.MethodGet, base+address, nil)
		if err != nil {
			return err
		}
		wanted.Header.Set("Accept-Encoding", "gzip") // measure the size as sent
		answer, err := client.Do(wanted)
		if err != nil {
			return err
		}
		sent, err := io.Copy(io.Discard, answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil {
			return err
		}
		r.set(path.Base(address), float64(sent)/1000)
	}
	r.set("asked", asked)
	r.set("/ kB", float64(len(page))/1000)
	return nil
}

// `packed` returns the compressed length of a page.
func packed(page []byte) int {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(page) // a write to memory cannot fail
	_ = w.Close()
	return out.Len()
}

// fetch reads a whole page.
func fetch(client *http.Client, address string) ([]byte, error) {
	answer, err := client.Get(address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", address, answer.Status)
	}
	return body, nil
}

// peakOf returns the peak resident memory of a process and its children in MB; 0 on systems without proc(5).
func peakOf(pid int) float64 {
	sum := 0.0
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // the process may have ended
	for line := range strings.Lines(string(text)) {
		if kb, is := strings.CutPrefix(line, "VmHWM:"); is {
			n, _ := strconv.Atoi(strings.Fields(kb)[0])
			sum += float64(n) / 1024
		}
	}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // each thread has its own children
	for _, name := range threads {
		children, _ := os.ReadFile(name)
		for _, field := range strings.Fields(string(children)) {
			if child, err := strconv.Atoi(field); err == nil {
				sum += peakOf(child)
			}
		}
	}
	return sum
}
