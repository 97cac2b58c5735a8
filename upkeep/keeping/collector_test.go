package keeping

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/records/collected"
	"github.com/git-trace/git-trace/records/otel"
	"github.com/git-trace/git-trace/records/redact/configured"
)

// collecting is the collector of a repository, without the program that receives.
func collecting(t *testing.T) (*recording.World, *Collector, *bytes.Buffer) {
	t.Helper()
	w := recording.New(t)
	w.Edit("s1", "a.txt", "one\n")
	redactor, err := configured.Redactor(t.Context(), w.Repo)
	w.Check(err)
	var warned bytes.Buffer
	return w, &Collector{repo: w.Repo, warn: &warned, redactor: redactor, Ended: make(chan error, 1),
		talks: map[string]*listened{}, unstored: map[string]*listened{}}, &warned
}

func item(session, key, text string) otel.Item {
	line, _ := json.Marshal(map[string]any{"key": key, "name": "user_prompt", "time": "2026-11-02T09:00:00Z",
		"attributes": map[string]any{"prompt": text, "session.id": session}})
	return otel.Item{Session: session, Key: key, Line: line}
}

func TestTelemetryOfAKnownConversationIsKept(t *testing.T) {
	t.Parallel()
	w, k, warned := collecting(t)
	const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-abcdefghijAA"
	fate, err := k.take(t.Context(), []otel.Item{item("s1", "k1", "use "+secret), item("s1", "k1", "again"),
		item("stranger", "k2", "who"), item("", "k3", "nobody"), item("s1", "k4", strings.Repeat("x", mostLine+1))})
	if err != nil || fate.Early != 1 || fate.Unknown != 1 || fate.Full != 1 {
		t.Fatalf("%+v, %v", fate, err)
	}
	k.talks["stranger"].since = time.Now().Add(-2 * strangerWaits)
	if fate, err = k.take(t.Context(), []otel.Item{item("stranger", "k2", "who")}); err != nil || fate.Unknown != 1 {
		t.Errorf("%+v, %v", fate, err)
	}
	var all string
	for trace := range map[string]bool{"s1": true} {
		lines, err := collected.Lines(collected.Path(w.Repo, k.talks[trace].Trace))
		w.Check(err)
		for _, line := range lines {
			all += string(line)
		}
	}
	if strings.Contains(all, secret) || !strings.Contains(all, "k1") {
		t.Errorf("%s", all)
	}
	_ = k.Store(t.Context()) // the text is not telemetry of a known client
	k.Ended <- nil
	_ = k.End(time.Minute)
	if !strings.Contains(warned.String(), "1 event taken") || !strings.Contains(warned.String(), "refused of conversations") {
		t.Errorf("%s", warned)
	}
	if last := LoadCollected(w.Repo); last == nil || last.Events != 1 {
		t.Errorf("%+v", last)
	}
	again := &Collector{repo: w.Repo, redactor: k.redactor, talks: map[string]*listened{}, unstored: map[string]*listened{}}
	if fate, err := again.take(t.Context(), []otel.Item{item("s1", "k1", "again")}); err != nil || len(again.unstored) != 0 {
		t.Errorf("it is taken twice: %+v, %v", fate, err)
	}
}

func TestATokenIsForTheUserAlone(t *testing.T) {
	t.Parallel()
	w := recording.New(t)
	token, file, err := collectorToken(w.Repo)
	if err != nil || len(token) != 64 {
		t.Fatal(token, err)
	}
	again, _, err := collectorToken(w.Repo)
	if err != nil || again != token {
		t.Error(again, err)
	}
	lines := shellLines("127.0.0.1:1", file+"'s")
	out, err := exec.Command("sh", "-c", strings.ReplaceAll(lines, file+`'\''s`, file)+"\nprintf %s \"$OTEL_EXPORTER_OTLP_HEADERS\"").Output()
	if err != nil || !strings.Contains(string(out), token) || strings.Contains(lines, token) {
		t.Errorf("%s, %v", out, err)
	}
}

func TestTheReceiversMessagesAreAnswered(t *testing.T) {
	t.Parallel()
	_, k, _ := collecting(t)
	k.cmd = exec.Command("true")
	if err := k.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var answers bytes.Buffer
	k.in = json.NewEncoder(&answers)
	raw, err := json.Marshal(map[string]any{"Items": []otel.Item{item("s1", "k1", "hello")}, "N": 7})
	if err != nil {
		t.Fatal(err)
	}
	from := json.NewDecoder(io.MultiReader(strings.NewReader(`{"Refused":"token"}`), bytes.NewReader(raw)))
	if err := k.serve(t.Context(), from); err == nil || !strings.Contains(fmt.Sprint(err), "has ended") {
		t.Error(err)
	}
	var answer otel.Answer
	if err := json.Unmarshal(answers.Bytes(), &answer); err != nil || answer.N != 7 || answer.Taken.Error != "" ||
		k.figures.Refused["token"] != 1 || k.figures.Events != 1 {
		t.Errorf("%s, %+v, %v", &answers, k.figures, err)
	}
}

func TestAWatcherEndsWithItsCollector(t *testing.T) {
	t.Parallel()
	world, k, _ := collecting(t)
	w := &Watcher{repo: world.Repo, out: io.Discard, err: io.Discard, Collector: k}
	world.Check(os.WriteFile(w.memoryFile(), []byte("{"), 0o600)) // a damaged memory counts as none
	world.Check(w.load())
	k.Ended <- errors.New("the receiver has ended")
	if err := w.Run(t.Context(), time.Minute); err == nil || !strings.Contains(err.Error(), "the receiver has ended") {
		t.Error(err)
	}
	world.Check(w.load())
	if w.memory.V != watchMemoryVersion || w.memory.Sessions == nil {
		t.Errorf("%+v", w.memory)
	}
}

func TestNothingIsCollectedWithoutTheRulesOfRedaction(t *testing.T) {
	t.Parallel()
	w := recording.New(t)
	w.Git("config", "trace.redactSecret", "(")
	if _, err := StartCollector(t.Context(), w.Repo, 0, io.Discard, io.Discard); err == nil {
		t.Error("it collects")
	}
	if LoadCollected(w.Repo) != nil {
		t.Error("figures of nothing")
	}
}
