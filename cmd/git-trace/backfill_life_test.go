package main

import (
	"crypto/sha1" //nolint:gosec // git names objects by it
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// life is a history as people and agents make it together, in several checkouts, rewritten now and then, in which the
// writer of every line is known. Nothing that git-trace says goes into it.
//
// A writer is a session, "human", or "gone" for a session whose file is lost. Where the rules leave open whose a line
// is, all whose it may be stand side by side, with a bar between them; "?" is anybody.
type life struct {
	*pastWorld
	main  string              // the checkout that is looked at in the end
	blobs map[string][]string // the writers of the lines of each content, by its id
	texts map[string]string   // of each line that is written down
	plain map[string]bool     // lines that many write: they say nothing of a session
	hunks map[string][]string // the writers of added lines, by the lines: how a rebased hunk is known
	lost  map[string]bool
	roots map[string]string // how the sessions of a checkout call it
	again []string          // lines that were deleted
}

const (
	human       = "human"
	lostSession = "gone"
)

var idioms = []string{
	"\treturn fmt.Errorf(\"read the configuration: %w\", err)", "\tdefer func() { _ = file.Close() }()", "\tctx, cancel := context.WithCancel(ctx)",
	"\tlog.Printf(\"the request failed: %v\", err)", "\tfor _, entry := range entries {", "\tmutex.Lock()", "\tt.Parallel()", "\tvar buffer bytes.Buffer",
}

func newLife(t testing.TB, seed int64) *life {
	l := &life{
		pastWorld: newPastWorld(t, seed), blobs: map[string][]string{}, texts: map[string]string{}, plain: map[string]bool{},
		hunks: map[string][]string{}, lost: map[string]bool{}, roots: map[string]string{},
	}
	l.main = l.dir
	for _, line := range slices.Concat(ordinary, idioms) {
		l.plain[ink(line)] = true
	}
	for _, path := range l.files() {
		l.note(path, slices.Repeat([]string{human}, len(l.get(path))))
	}
	return l
}

func ink(text string) string { return strings.Join(strings.Fields(text), "") }

func blobID(lines []string) string {
	content := strings.Join(lines, "\n") + "\n"
	return fmt.Sprintf("%x", sha1.Sum([]byte(fmt.Sprintf("blob %d\x00%s", len(content), content)))) //nolint:gosec // see the import
}

// who are the writers of the lines of a file as it is on the disk.
func (l *life) who(path string) []string { return l.writersOf(blobID(l.get(path)), l.get(path)) }

// writersOf are the writers of a content. Of one that git made, the lines tell, as far as only one wrote them.
func (l *life) writersOf(blob string, lines []string) []string {
	if known := l.blobs[blob]; known != nil {
		return known
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		if out[i] = l.texts[ink(line)]; out[i] == "" || l.plain[ink(line)] {
			out[i] = "?"
		}
	}
	return out
}

// note writes down whose the lines of a file are.
func (l *life) note(path string, who []string) {
	lines := l.get(path)
	if len(lines) != len(who) {
		l.t.Fatalf("%s has %d lines and %d writers", path, len(lines), len(who))
	}
	who = slices.Clone(who)
	if known := l.blobs[blobID(lines)]; known != nil {
		for i := range who { // one content that came to be in two ways
			who[i] = either(who[i], known[i])
		}
	}
	l.blobs[blobID(lines)] = who
	for i, line := range lines {
		if known := l.texts[ink(line)]; known != "" {
			l.texts[ink(line)] = either(known, who[i])
		} else {
			l.texts[ink(line)] = who[i]
		}
	}
}

// either is one of two writers.
func either(a, b string) string {
	if a == b || b == "" {
		return a
	}
	names := append(strings.Split(a, "|"), strings.Split(b, "|")...)
	slices.Sort(names)
	return strings.Join(slices.Compact(names), "|")
}

// fresh are new lines of a writer: some say something, some stand everywhere, some are what everybody writes.
func (l *life) fresh(n int) []string {
	var out []string
	for range n {
		out = append(out, l.line(""))
		switch l.rng.Intn(5) {
		case 0, 1:
			out = append(out, ordinary[l.rng.Intn(len(ordinary))])
		case 2:
			out = append(out, idioms[l.rng.Intn(len(idioms))])
		}
	}
	return out
}

// change puts lines in the place of others, by a session or, without one, by hand.
func (l *life) change(s *pastSession, path string, at, removed int, fresh []string) {
	before, who := l.get(path), l.who(path)
	writer := human
	if s != nil {
		writer = l.writer(s)
	}
	own := make([]string, len(fresh))
	for i, line := range fresh {
		own[i] = writer
		for k := at; k < at+removed; k++ {
			if ink(before[k]) == ink(line) {
				own[i] = either(own[i], who[k])
			}
		}
	}
	l.put2(s, path, at, removed, fresh, own)
}

// put2 is change with the writers of the lines.
func (l *life) put2(s *pastSession, path string, at, removed int, fresh, own []string) {
	before, who := l.get(path), l.who(path)
	if s != nil {
		s.edit(path, at, removed, fresh, true)
	} else {
		l.put(path, slices.Concat(before[:at], fresh, before[at+removed:]))
	}
	l.note(path, slices.Concat(who[:at], own, who[at+removed:]))
	for _, line := range before[at : at+removed] {
		if !l.plain[ink(line)] {
			l.again = append(l.again, line)
		}
	}
}

func (l *life) writer(s *pastSession) string {
	if l.lost[s.id] {
		return lostSession
	}
	return s.id
}

// create writes a new file.
func (l *life) create(s *pastSession, path string, lines []string) {
	writer := human
	if s != nil {
		writer = l.writer(s)
		s.write(path, lines, nil, true)
	} else {
		l.put(path, lines)
	}
	l.note(path, slices.Repeat([]string{writer}, len(lines)))
}

func (l *life) anyFile() string {
	var list []string
	for _, path := range l.files() {
		if _, err := os.Stat(filepath.Join(l.dir, path)); err == nil && len(l.get(path)) > 8 {
			list = append(list, path)
		}
	}
	return list[l.rng.Intn(len(list))]
}

// begin begins a conversation in the checkout that one stands in.
func (l *life) begin() *pastSession {
	s := l.session()
	agents := []string{"claude-code", "codex-cli", "pi", "opencode", "gemini-cli", "qwen-code", "copilot-cli"}
	s.agent = agents[l.made%len(agents)]
	s.id = strings.ReplaceAll(strings.TrimPrefix(s.id, "ses_"), "-", "")
	s.id = s.id[:8] + "-" + s.id[8:12] + "-" + s.id[12:16] + "-" + s.id[16:20] + "-" + s.id[20:]
	if s.agent == "opencode" {
		s.id = "ses_" + strings.ReplaceAll(s.id, "-", "")
	}
	l.pastWorld.agents[s.id] = s.agent
	s.root, s.lines, s.last, s.calls = l.roots[l.dir], nil, "", 0
	if s.root == "" {
		s.root = l.dir
	}
	l.lost[s.id] = l.rng.Intn(12) == 0
	s.begin()
	return s
}

// finish saves the file of a session, unless that is one that is lost.
func (l *life) finish(s *pastSession) {
	if !l.lost[s.id] {
		s.end()
	}
}

// works lets a session do something.
func (l *life) works(s *pastSession) {
	l.tick()
	path := l.anyFile()
	lines := l.get(path)
	at := l.rng.Intn(len(lines) - 6)
	switch l.rng.Intn(12) {
	case 0, 1:
		l.create(s, fmt.Sprintf("pkg%d/made%d.go", l.rng.Intn(3), l.count), l.fresh(4+l.rng.Intn(12)))
	case 2: // over other lines
		l.change(s, path, at, 1+l.rng.Intn(4), l.fresh(1+l.rng.Intn(4)))
	case 3: // a whole file that is written again, a part of it new
		who := l.who(path)
		fresh := l.fresh(2)
		s.write(path, slices.Concat(lines[:at], fresh, lines[at:]), lines, true)
		l.note(path, slices.Concat(who[:at], slices.Repeat([]string{l.writer(s)}, len(fresh)), who[at:]))
	case 4: // one line
		l.change(s, path, at, 1, []string{l.line("")})
	case 5:
		l.change(s, path, at, 2, nil)
	case 6: // code that is moved within the file
		l.moves(s, path, path)
	case 7: // something that is taken back before anybody sees it
		fresh := l.fresh(3)
		l.change(s, path, at, 0, fresh)
		l.change(s, path, at, len(fresh), nil)
	case 8:
		l.indents(s, path, at)
	case 9:
		l.sed(s, path)
	default:
		l.change(s, path, at, 0, l.fresh(1+l.rng.Intn(6)))
	}
}

// moves moves a block of four lines or more. It is still its writer's, and where a session did it in two calls, nobody
// can blame those who think it is the session's.
func (l *life) moves(s *pastSession, from, to string) {
	lines, who := l.get(from), l.who(from)
	n := 4 + l.rng.Intn(4)
	if len(lines) < n+8 {
		return
	}
	at := l.rng.Intn(len(lines) - n)
	block, own := lines[at:at+n], slices.Clone(who[at:at+n])
	if s != nil {
		for i := range own {
			own[i] = either(own[i], l.writer(s))
		}
	}
	l.put2(s, from, at, n, nil, nil)
	target := l.get(to)
	l.put2(s, to, l.rng.Intn(len(target)), 0, block, own)
}

// indents puts some lines into a block, as one does with an if.
func (l *life) indents(s *pastSession, path string, at int) {
	lines, who := l.get(path), l.who(path)
	var fresh, own []string
	writer := human
	if s != nil {
		writer = l.writer(s)
	}
	fresh, own = append(fresh, l.line("")+" {"), append(own, writer)
	for i := at; i < at+4; i++ {
		fresh, own = append(fresh, "\t"+lines[i]), append(own, who[i])
	}
	fresh, own = append(fresh, "\t} // "+fmt.Sprint(l.count)), append(own, writer)
	l.put2(s, path, at, 4, fresh, own)
}

// sed lets the shell of a session replace a word.
func (l *life) sed(s *pastSession, path string) {
	lines, who := l.get(path), slices.Clone(l.who(path))
	at := l.rng.Intn(len(lines))
	m := regexp.MustCompile(`"k(\d+)"`).FindStringSubmatch(lines[at])
	if m == nil || strings.Count(strings.Join(lines, "\n"), m[1]) != 1 {
		return
	}
	fresh := fmt.Sprint("s", l.rng.Intn(1e9))
	lines[at] = strings.Replace(lines[at], "k"+m[1], fresh, 1)
	if !s.shell(fmt.Sprintf("sed -i 's/k%s/%s/' %s", m[1], fresh, path)) {
		return
	}
	l.put(path, lines)
	who[at] = either(l.writer(s), human+"|"+who[at]) // may stay unknown
	l.note(path, who)
}

// shell writes a call of a shell, where the agent's form is known here.
func (s *pastSession) shell(command string) bool {
	switch s.agent {
	case "claude-code":
		s.call("Bash", map[string]any{"command": command}, nil)
	case "pi":
		s.call("bash", map[string]any{"command": command}, nil)
	case "qwen-code":
		qwenForm{}.call(s, "run_shell_command", jsonObject{"command": command}, "")
	default:
		return false
	}
	return true
}

// hand lets a person do something.
func (l *life) hand() {
	l.tick()
	path := l.anyFile()
	lines, who := l.get(path), l.who(path)
	at := l.rng.Intn(len(lines) - 6)
	switch l.rng.Intn(12) {
	case 0:
		l.change(nil, path, at, 0, l.fresh(1+l.rng.Intn(4)))
	case 1: // a word in somebody's line
		if !l.plain[ink(lines[at])] {
			l.change(nil, path, at, 1, []string{strings.Replace(lines[at], "(", "(byHand"+fmt.Sprint(l.count)+", ", 1) + " // mine"})
		}
	case 2: // a copy: it is the person's who made it
		n := 1 + l.rng.Intn(4)
		to := l.anyFile()
		block := slices.Clone(lines[at : at+n])
		l.put2(nil, to, l.rng.Intn(len(l.get(to))), 0, block, slices.Repeat([]string{human}, n))
	case 3:
		l.moves(nil, path, path)
	case 4:
		l.moves(nil, path, l.anyFile())
	case 5: // one line that moves
		own := either(who[at], human)
		l.put2(nil, path, at, 1, nil, nil)
		l.put2(nil, path, l.rng.Intn(len(lines)-1), 0, lines[at:at+1], []string{own})
	case 6:
		l.indents(nil, path, at)
	case 7: // the whole file is indented anew
		for i, line := range lines {
			lines[i] = strings.ReplaceAll(line, "\t", "    ")
			if i%2 == 0 {
				lines[i] = strings.ReplaceAll(line, "    ", "\t")
			}
		}
		l.put(path, lines)
		l.note(path, who)
	case 8: // a line that was deleted comes back
		if len(l.again) > 0 {
			line := l.again[l.rng.Intn(len(l.again))]
			l.put2(nil, path, at, 0, []string{line}, []string{either(either(l.texts[ink(line)], human), "?")})
		}
	case 9: // a formatter that ends lines otherwise
		for i, line := range lines {
			if !l.plain[ink(line)] && !strings.HasSuffix(line, ";") && i%3 == 0 {
				lines[i], who = line+";", slices.Clone(who)
				who[i] = either(who[i], human)
			}
		}
		l.put(path, lines)
		l.note(path, who)
	case 10:
		l.change(nil, path, at, 1+l.rng.Intn(3), nil)
	default:
		l.create(nil, fmt.Sprintf("pkg%d/hand%d.go", l.rng.Intn(3), l.count), l.fresh(9))
	}
}
