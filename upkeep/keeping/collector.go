package keeping

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records/collected"
	"github.com/git-trace/git-trace/records/otel"
	"github.com/git-trace/git-trace/records/rawjson"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/redact/configured"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/upkeep/purge"
	"github.com/git-trace/git-trace/view"
)

// Limits for data from clients.
const (
	mostCollected = 64 << 20 // bytes a conversation
	mostLine      = 4 << 20
	strangerHolds = 2 * time.Second  // the time between two searches for an unknown conversation
	strangerWaits = 10 * time.Second // the longest wait for the first hook of an unknown conversation
	mostStrangers = 1000
)

// Collector stores the data that clients send about conversations that hooks know. The companion receives and decodes
// it.
type Collector struct {
	repo     *refs.Repo
	warn     io.Writer // for messages
	cmd      *exec.Cmd
	in       *json.Encoder
	redactor *redact.Redactor
	Ended    chan error

	mu       sync.Mutex
	figures  answers.Collected
	talks    map[string]*listened // by the client's conversation id
	unstored map[string]*listened // conversations with events that no record has yet
}

// listened is a conversation that sends events. Its Session is zero if hooks do not know it.
type listened struct {
	waiting.Session
	since, looked time.Time
	keys          map[string]bool
	size          int
}

func collectorState(repo *refs.Repo) string { return filepath.Join(collected.Dir(repo), "state.json") }

// LoadCollected returns the figures of the collector; nil if it never ran.
func LoadCollected(repo *refs.Repo) *answers.Collected {
	raw, err := os.ReadFile(collectorState(repo))
	c := &answers.Collected{}
	if err != nil || json.Unmarshal(raw, c) != nil {
		return nil
	}
	return c
}

// StartCollector starts the companion, and prints the settings that clients need on out.
func StartCollector(ctx context.Context, repo *refs.Repo, port int, out, warn io.Writer) (*Collector, error) {
	redactor, err := configured.Redactor(ctx, repo)
	if err != nil {
		return nil, exit.Fail(exit.Unchecked, err, "nothing is collected until that is fixed")
	}
	k := &Collector{repo: repo, warn: warn, redactor: redactor, Ended: make(chan error, 1), talks: map[string]*listened{},
		unstored: map[string]*listened{}}
	if last := LoadCollected(repo); last != nil {
		k.figures = *last
	}
	token, file, err := collectorToken(repo)
	if err != nil {
		return nil, exit.Fail(exit.Unchecked, err, "")
	}
	if k.cmd, err = companion.Command(ctx, "otlp"); err != nil {
		return nil, err
	}
	k.cmd.Stderr, k.cmd.WaitDelay = warn, companion.Grace
	k.cmd.Cancel = func() error { return k.cmd.Process.Signal(os.Interrupt) }
	in, err := k.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	answers, err := k.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := k.cmd.Start(); err != nil {
		return nil, exit.Fail(exit.Unchecked, err, "")
	}
	k.in = json.NewEncoder(in)
	free := port == 0
	if free {
		port = k.figures.Port
	}
	from := json.NewDecoder(answers)
	var first struct{ Address string }
	err = k.in.Encode(map[string]any{"port": port, "token": token, "free": free})
	if err = errors.Join(err, from.Decode(&first)); err != nil {
		_ = k.cmd.Wait()
		return nil, exit.Silent(exit.Unchecked) // the companion has printed the error
	}
	_, text, _ := net.SplitHostPort(first.Address)
	k.figures.Port, _ = strconv.Atoi(text)
	k.save()
	fmt.Fprint(out, shellLines(first.Address, file))
	fault.Go(func() { k.Ended <- k.serve(ctx, from) })
	return k, nil
}

// collectorToken returns the token that clients send, and its file, which only the user can read.
func collectorToken(repo *refs.Repo) (token, file string, err error) {
	file = filepath.Join(collected.Dir(repo), "token")
	raw, err := os.ReadFile(file)
	info, statErr := os.Stat(file)
	if token = strings.TrimSpace(string(raw)); err == nil && statErr == nil && len(token) == 64 &&
		(info.Mode().Perm()&0o077 == 0 || runtime.GOOS == "windows") {
		return token, file, nil
	}
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails (crypto/rand)
	token = hex.EncodeToString(secret[:])
	if err := refs.MakeDirs(filepath.Dir(file), 0o700); err != nil {
		return "", "", err
	}
	return token, file, refs.WriteFileAtomic(file, []byte(token+"\n"), 0o600)
}

// shellLines returns lines for sh that make clients send their data. They do not contain the token.
func shellLines(address, token string) string {
	return "export OTEL_EXPORTER_OTLP_ENDPOINT=http://" + address + "\n" +
		`export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer $(cat '` +
		strings.ReplaceAll(token, "'", `'\''`) + `')"` + "\n" +
		"export OTEL_EXPORTER_OTLP_PROTOCOL=http/json OTEL_LOGS_EXPORTER=otlp OTEL_LOG_USER_PROMPTS=1\n" +
		"export CLAUDE_CODE_ENABLE_TELEMETRY=1 OTEL_LOG_TOOL_DETAILS=1 OTEL_LOG_ASSISTANT_RESPONSES=1\n"
}

// serve handles the companion's messages until the companion ends.
func (k *Collector) serve(ctx context.Context, from *json.Decoder) error {
	for {
		var told struct {
			Refused string
			Items   []otel.Item
			N       int
		}
		if err := from.Decode(&told); err != nil {
			_ = k.cmd.Wait()
			if ctx.Err() != nil {
				return nil //nolint:nilerr // the user ended it
			}
			return exit.Fail(exit.Unchecked, errors.New("the receiver of telemetry has ended"), "")
		}
		k.mu.Lock()
		if told.N == 0 {
			k.refuse(told.Refused, 1)
			k.mu.Unlock()
			continue
		}
		fate, err := k.take(context.WithoutCancel(ctx), told.Items)
		k.mu.Unlock()
		if err != nil {
			fate = otel.Taken{Error: "the events cannot be stored"}
		}
		_ = k.in.Encode(otel.Answer{Taken: fate, N: told.N}) // if the companion has ended, the next Decode fails
	}
}

func (k *Collector) refuse(why string, n int) {
	if n > 0 && why != "" {
		if k.figures.Refused == nil {
			k.figures.Refused = map[string]int{}
		}
		k.figures.Refused[why] += n
	}
}

// take redacts and stores events. It refuses conversations that no hook reported, whatever the client says.
func (k *Collector) take(ctx context.Context, items []otel.Item) (fate otel.Taken, err error) {
	fresh := map[*listened][][]byte{}
	for _, item := range items {
		t, err := k.talk(ctx, item.Session)
		if err != nil {
			return otel.Taken{}, err
		}
		switch {
		case t.Trace == "" && item.Session != "" && time.Since(t.since) < strangerWaits:
			fate.Early++
			continue
		case t.Trace == "" || purge.Was(k.repo, t.Trace):
			fate.Unknown++
			continue
		case t.keys[item.Key]:
			continue
		case len(item.Line) > mostLine || t.size+len(item.Line) > mostCollected:
			fate.Full++
			continue
		}
		line, n, err := k.redactor.Telemetry(ctx, item.Line)
		if err != nil {
			return otel.Taken{}, err
		}
		line = collected.Counted(line, n)
		fresh[t] = append(fresh[t], line)
		t.keys[item.Key] = true
		t.size += len(line)
	}
	for t, lines := range fresh {
		if err := k.keep(t, lines); err != nil {
			k.talks = map[string]*listened{} // so that the files are read again
			return otel.Taken{}, err
		}
	}
	k.refuse("unknown_session", fate.Unknown)
	k.refuse("full", fate.Full)
	return fate, nil
}

// Keep appends events to a conversation's file, and puts the conversation on the waiting list.
func (k *Collector) keep(t *listened, lines [][]byte) error {
	if err := collected.Append(collected.Path(k.repo, t.Trace), lines); err != nil {
		return err
	}
	if err := waiting.Open(k.repo).NoteOnce(t.Session); err != nil { // after a kill, the next process stores it
		return err
	}
	k.unstored[t.Session.Session] = t
	k.figures.Events += len(lines)
	k.figures.Last = new(time.Now().UTC().Truncate(time.Second))
	return nil
}

// talk returns the conversation with a client's id.
func (k *Collector) talk(ctx context.Context, session string) (*listened, error) {
	now := time.Now()
	t := &listened{since: now, looked: now, keys: map[string]bool{}}
	if last := k.talks[session]; last != nil {
		if last.Trace != "" || now.Sub(last.looked) < strangerHolds {
			return last, nil
		}
		t.since = last.since
	}
	if len(k.talks) > mostStrangers {
		k.talks = map[string]*listened{}
	}
	k.talks[session] = t
	if session == "" {
		return t, nil
	}
	known, err := view.Open(ctx, k.repo, view.Options{LogOnly: true})
	if err != nil {
		return nil, err
	}
	defer known.Close()
	for _, agent := range agents.Names() {
		id := events.NewTraceID(agent, session)
		one, found, err := known.Log().Trace(id)
		if err != nil {
			return nil, err
		}
		if !found || one.Hooked == 0 || one.Published {
			continue
		}
		t.Session = waiting.Session{Trace: id, Agent: agent, Session: session, WorkTree: k.repo.WorkTree}
		lines, err := collected.Lines(collected.Path(k.repo, id))
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			t.keys[rawjson.MemberText(line, "key")], t.size = true, t.size+len(line)
		}
		break
	}
	return t, nil
}

// Store stores the records of conversations with new events.
func (k *Collector) Store(ctx context.Context) error {
	k.mu.Lock()
	todo := k.unstored
	k.unstored = map[string]*listened{}
	k.save()
	k.mu.Unlock()
	if len(todo) == 0 {
		return nil
	}
	job, err := NewJob(ctx, k.repo)
	if err != nil {
		return err
	}
	defer job.Close()
	lock, err := job.Lock(ctx, store.Patience)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	var failed error
	for _, t := range todo {
		err := job.One(ctx, t.Session, func(Outcome) {})
		if err == nil || errors.Is(err, recorder.ErrNoTranscript) || errors.Is(err, recorder.ErrNoParser) {
			err = job.list.Done(t.Session)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

func (k *Collector) save() {
	_ = refs.WriteJSON(collectorState(k.repo), k.figures, refs.WriteFileAtomic)
}

// End waits for the end of the companion, stores the remaining data within a limit, and prints the figures.
func (k *Collector) End(limit time.Duration) error {
	err := <-k.Ended
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	err = errors.Join(err, k.Store(ctx))
	if k.figures.Events > 0 || len(k.figures.Refused) > 0 {
		fmt.Fprintf(k.warn, "git-trace: hint: telemetry: %s\n", CollectedText(&k.figures))
	}
	return err
}

// whyRefused describes the reasons for which data is refused.
var whyRefused = map[string]string{
	"full": "beyond the bounds of a conversation", "host": "of another host or a page", "malformed": "malformed",
	"token": "without the token", "too_large": "too large", "unknown_session": "of conversations that no hook reported",
}

func CollectedText(c *answers.Collected) string {
	text := numbers.Count(c.Events, "event") + " taken"
	for _, why := range slices.Sorted(maps.Keys(c.Refused)) {
		if words := whyRefused[why]; words != "" {
			text += fmt.Sprintf(", %s refused %s", numbers.Thousands(c.Refused[why]), words)
		}
	}
	return text
}
