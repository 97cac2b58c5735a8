package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// clients are agents that are processes of their own, whose commands are their children, and whose session files grow
// while they work.
type clients struct {
	agents map[string]*livingAgent
	counts map[string]int // the calls of each conversation
	shell  string         // whose command is under way; "" for nobody's
	untold bool           // no hook tells of the call under way, or of its end
}

type livingAgent struct {
	in  io.WriteCloser
	out *bufio.Reader
	cmd *exec.Cmd
}

// count numbers a call of a conversation, as the process does.
func (l *clients) count(session string) string {
	if l.counts == nil {
		l.counts = map[string]int{}
	}
	l.counts[session]++
	return fmt.Sprintf("toolu_%s_%03d", session, l.counts[session])
}

// client is the process of the agents that live in this one, "" where they have processes of their own.
func (w *world) client() string {
	if w.profile.living {
		return ""
	}
	return strconv.Itoa(os.Getpid())
}

// agentOf is the process of a conversation.
func (w *world) agentOf(session string) *livingAgent {
	if a := w.clients.agents[session]; a != nil {
		return a
	}
	cmd := exec.Command("agent", session, "serve")
	cmd.Dir, cmd.Env = w.trees[0], append(w.env(), "TRANSCRIPTS=now", "UNHOOKED=")
	in, err := cmd.StdinPipe()
	w.must(err)
	out, err := cmd.StdoutPipe()
	w.must(err)
	w.must(cmd.Start())
	if w.clients.agents == nil {
		w.clients.agents = map[string]*livingAgent{}
	}
	w.clients.agents[session] = &livingAgent{in, bufio.NewReader(out), cmd}
	return w.clients.agents[session]
}

// endAgents ends the processes of the conversations.
func (w *world) endAgents() {
	for _, a := range w.clients.agents {
		_ = a.in.Close()
		_ = a.cmd.Wait()
	}
}

// tell has the process of a conversation do something, and gives its answer.
func (w *world) tell(session string, words ...string) string {
	for i, word := range words {
		words[i] = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(word)
	}
	a := w.agentOf(session)
	_, err := fmt.Fprintln(a.in, strings.Join(words, "\t"))
	w.must(err)
	answer, err := a.out.ReadString('\n')
	w.must(err)
	return strings.TrimSpace(answer)
}

// livingBoundary has the process of a conversation send what the client sends, and write its session file.
func (w *world) livingBoundary(dir, session, event string, fields map[string]any) {
	words := map[string][]string{"SessionStart": {"start"}, "UserPromptSubmit": {"prompt", "go on"}, "Stop": {"stop"},
		"PreToolUse": {"pre"}, "PostToolUse": {"did"}}[event]
	input, _ := fields["tool_input"].(map[string]any)
	text := func(key string) string { value, _ := input[key].(string); return value }
	path, _ := filepath.Rel(dir, text("file_path"))
	switch fields["tool_name"] {
	case "Write":
		words = append(words, "write", path, text("content"))
	case "Edit":
		words = append(words, "edit", path, text("old_string"), text("new_string"))
	case "Bash":
		words = append(words, "bash", text("command"))
	}
	if !w.clients.untold {
		w.lookedAt(dir, input, text("file_path") == "")
	}
	if answer := w.tell(session, words...); answer != "ok" {
		w.must(fmt.Errorf("%s %q: %s", session, words, answer))
	}
}

// inShell runs a process in the shell of the command that is under way.
func (w *world) inShell(dir string, env, args []string) (string, error) {
	session := w.clients.shell
	out := filepath.Join(w.root, "out")
	command := "cd " + shellQuoted(dir) + " && env"
	for _, entry := range append(w.env(), env...) {
		if name, _, _ := strings.Cut(entry, "="); name == "GIT_AUTHOR_DATE" || name == "GIT_COMMITTER_DATE" || slices.Contains(env, entry) {
			command += " " + shellQuoted(entry)
		}
	}
	for _, arg := range args {
		command += " " + shellQuoted(arg)
	}
	answer := w.tell(session, "run", command+" >"+shellQuoted(out)+" 2>&1")
	raw, err := os.ReadFile(out)
	w.must(err)
	if answer != "ok" {
		return string(raw), fmt.Errorf("%s", answer)
	}
	return string(raw), nil
}

func shellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// untold: an agent, or a helper that it started, does something of which its session file alone tells.
func untold(w *world, rng *rand.Rand, dir string) bool {
	path, ok := w.pickPath(rng, dir)
	if !ok {
		return false
	}
	s := w.session(rng)
	helper := rng.IntN(3) == 0
	w.say("env TRANSCRIPTS=now UNHOOKED=Edit,Write,Bash")
	w.tell(s, "unhooked", "Edit,Write,Bash")
	if helper {
		w.tell(s, "say", "a helper begins")
		w.tell(s, "as", "a1")
	}
	w.clients.untold = true
	command := rng.IntN(4) == 0
	if command {
		w.ledger.strange()
	}
	done := true
	old, _ := w.read(dir, path)
	text, from := w.reshape(rng, old)
	switch {
	case command:
		w.agentShell(dir, s, func() {
			w.writeAs(dir, path, from, text, s)
			w.put(dir, path)
		})
	case rng.IntN(3) == 0:
		w.agentWrite(dir, s, path, from, text)
	default:
		done = w.agentReplace(dir, s, path, text, from)
	}
	w.clients.untold = false
	w.tell(s, "unhooked")
	w.tell(s, "as")
	if w.say("env UNHOOKED="); helper {
		w.tell(s, "say", "a helper ended")
	}
	return done
}

// hearSessionFiles reads what the session files have told since.
func (w *world) hearSessionFiles(dir string) {
	if !w.profile.living {
		return
	}
	cmd := exec.Command("git-trace", "record")
	cmd.Dir, cmd.Env = dir, w.env()
	if out, err := cmd.CombinedOutput(); err != nil || bytes.Contains(out, []byte("error")) {
		w.must(fmt.Errorf("record: %w: %s", err, out))
	}
}

// strange notes that a command is at work of which no hook tells: what changes until the next look at everything, and
// what changed since the last one, may be anybody's.
func (l *writers) strange() {
	l.stranger = true
	for word := range l.recent {
		l.doubted[word] = append(l.doubted[word], byUnknown)
	}
	for key := range l.recentRuns {
		l.maybe(key)
	}
}

// maybe notes that nobody may know whose a block of common lines is.
func (l *writers) maybe(key string) {
	for list := range l.runs[key] {
		if list != unsure {
			l.runs[key][strings.TrimSuffix(strings.Repeat(byUnknown+",", 1+strings.Count(list, ",")), ",")] = true
			return
		}
	}
}

// looked notes that everything was looked at.
func (l *writers) looked() {
	l.stranger, l.recent, l.recentRuns = false, map[string]bool{}, map[string]bool{}
}

// wrote notes a unique line that was just written.
func (l *writers) wrote(word string) {
	l.recent[word] = true
	if l.stranger {
		l.doubted[word] = append(l.doubted[word], byUnknown)
	}
}

// told notes the lines of a call of which the session file alone told.
func (l *writers) told(e edit) {
	for i, line := range e.text {
		if life := l.lives[bare(line)]; e.from[i] < 0 && life != nil {
			life.told = true
		}
	}
}
