package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Bounds of pages, in milliseconds, and of the memory of their server, in MB.
const (
	firstPage   = 150 // from the start of the server
	listPage    = 50
	talkPage    = 80
	blamePage   = 100
	serveMemory = 150
)

// pageRow is a page that is asked for, and how long it may take.
type pageRow struct {
	name, path string
	bound      float64
}

// serving is what the pages of git trace serve take: of many conversations, and of a long history beside a long log.
// Each round starts a server, so that no answer is kept from the round before.
func serving(stored, log int) []scenario {
	talks := []pageRow{
		{"/log", "/log", listPage}, {"/search, a word of many", "/search?q=widget3", listPage}, {"/t", "", talkPage},
	}
	history := []pageRow{
		{"/graph", "/graph", listPage}, {"/blame, 2,500 lines", "/blame/HEAD/" + hotFile, blamePage},
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
		},
	}
	for _, p := range rows {
		s.rows = append(s.rows, row{p.name + " for the first time, " + of, p.name, "", limit, p.bound})
		s.rows = append(s.rows, row{p.name + " again, " + of, p.name + " again", "", limit, p.bound})
	}
	s.prepare = func(b *bench) (func(int, *recorder) error, error) {
		dir, err := place(b)
		if err != nil {
			return nil, err
		}
		for i, p := range rows {
			if p.path == "" {
				out, err := b.output(b.trace(dir, "log", "-n", "1", "--format", "%H"))
				if err != nil {
					return nil, err
				}
				rows[i].path = "/t/" + strings.TrimSpace(out)
			}
		}
		return func(_ int, r *recorder) error { return b.servePages(dir, rows, r) }, nil
	}
	return s
}

// servePages starts a server and asks it for the pages, each twice.
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
		if err := fetch(client, strings.TrimSpace(line)); err != nil { // the secret becomes a cookie
			return err
		}
		return fetch(client, base+"/")
	}); err != nil {
		return err
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait() // it ends by the signal
	}()
	if err := r.time("/", func() error { return fetch(client, base+"/") }); err != nil {
		return err
	}
	for _, p := range rows {
		if err := r.time(p.name, func() error { return fetch(client, base+p.path) }); err != nil {
			return err
		}
		if err := r.time(p.name+" again", func() error { return fetch(client, base+p.path) }); err != nil {
			return err
		}
	}
	r.set("memory", max(r.of("memory").count, peakOf(cmd.Process.Pid)))
	return nil
}

// fetch reads a page whole.
func fetch(client *http.Client, address string) error {
	answer, err := client.Get(address)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", address, answer.Status)
	}
	return nil
}

// peakOf is the most memory that a process and its children had resident, in MB, where the system tells it (proc(5));
// else 0.
func peakOf(pid int) float64 {
	sum := 0.0
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // the process may have ended
	for line := range strings.Lines(string(text)) {
		if kb, is := strings.CutPrefix(line, "VmHWM:"); is {
			n, _ := strconv.Atoi(strings.Fields(kb)[0])
			sum += float64(n) / 1024
		}
	}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // each has those that it started
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
