package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

// collecting is a repository with a watcher that takes telemetry.
type collecting struct {
	t       *testing.T
	program string
	repo    *driver.Repo
	watch   *exec.Cmd
	says    *bytes.Buffer
	base    string // http://127.0.0.1:PORT
	headers string // as OTEL_EXPORTER_OTLP_HEADERS has them
}

func newCollecting(t *testing.T, agent string) *collecting {
	t.Helper()
	clients, err := driver.Root()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GITTRACE_AGENTS", clients) // before the home directory changes
	program, _ := built(t)
	k := &collecting{t: t, program: program, repo: driver.NewRepo(t)}
	k.trace("", "init", "--agent", agent)
	k.start()
	t.Cleanup(func() {
		if k.watch != nil {
			k.stop(syscall.SIGKILL)
		}
	})
	return k
}

func (k *collecting) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(k.t.Context(), k.program, args...)
	cmd.Dir, cmd.Env = k.repo.Dir, k.repo.Env(filepath.Dir(k.program))
	return cmd
}

// trace runs git-trace.
func (k *collecting) trace(stdin string, args ...string) string {
	k.t.Helper()
	cmd := k.command(args...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		k.t.Fatalf("git-trace %v: %v: %s", args, err, &stderr)
	}
	return string(out)
}

// start starts the watcher. What it prints for a shell tells where it listens.
func (k *collecting) start() {
	k.t.Helper()
	k.watch, k.says = k.command("watch", "--otlp", "--interval", "100ms"), &bytes.Buffer{}
	k.watch.Stderr = k.says
	out, err := k.watch.StdoutPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	if err := k.watch.Start(); err != nil {
		k.t.Fatal(err)
	}
	var lines string
	in := bufio.NewReader(out)
	for !strings.Contains(lines, "OTEL_LOG_USER_PROMPTS") {
		line, err := in.ReadString('\n')
		if err != nil {
			k.t.Fatalf("it ended: %v: %s%s", err, lines, k.says)
		}
		lines += line
	}
	go func() { _, _ = io.Copy(io.Discard, in) }()
	shell, err := exec.Command("sh", "-c", lines+`printf '%s|%s' "$OTEL_EXPORTER_OTLP_ENDPOINT" "$OTEL_EXPORTER_OTLP_HEADERS"`).Output()
	if err != nil {
		k.t.Fatalf("%v: %s", err, lines)
	}
	k.base, k.headers, _ = strings.Cut(string(shell), "|")
	if strings.Contains(lines, k.token()) {
		k.t.Error("the token is printed")
	}
}

func (k *collecting) token() string { return strings.TrimPrefix(k.headers, "Authorization=Bearer ") }

func (k *collecting) stop(sig syscall.Signal) string {
	_ = k.watch.Process.Signal(sig)
	_ = k.watch.Wait()
	k.watch = nil
	return k.says.String()
}

// hook is a hook of Claude Code.
func (k *collecting) hook(event, session string, more map[string]any) {
	k.t.Helper()
	payload := map[string]any{"session_id": session, "cwd": k.repo.Dir, "hook_event_name": event}
	for name, value := range more {
		payload[name] = value
	}
	raw, err := json.Marshal(payload)
	if err != nil {
		k.t.Fatal(err)
	}
	k.trace(string(raw), "hook", "claude-code", event)
}

// event is a log event of Claude Code, n seconds after a time.
func event(session, name string, n int, attributes map[string]string) string {
	attrs := []any{}
	attributes["session.id"], attributes["event.name"], attributes["event.sequence"] = session, name, fmt.Sprint(n)
	for key, text := range attributes {
		attrs = append(attrs, map[string]any{"key": key, "value": map[string]any{"stringValue": text}})
	}
	raw, _ := json.Marshal(map[string]any{"timeUnixNano": fmt.Sprint(1778900000+n) + "000000000", "attributes": attrs,
		"body": map[string]any{"stringValue": "claude_code." + name}})
	return string(raw)
}

func logs(records ...string) string {
	return `{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"claude-code"}}]},` +
		`"scopeLogs":[{"logRecords":[` + strings.Join(records, ",") + `]}]}]}`
}

// post sends a body, and gives the status and the answer.
func (k *collecting) post(path string, body []byte, change func(*http.Request)) (int, string) {
	k.t.Helper()
	q, err := http.NewRequestWithContext(k.t.Context(), http.MethodPost, k.base+path, bytes.NewReader(body))
	if err != nil {
		k.t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Authorization", "Bearer "+k.token())
	if change != nil {
		change(q)
	}
	a, err := http.DefaultTransport.(*http.Transport).Clone().RoundTrip(q)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = a.Body.Close() }()
	raw, _ := io.ReadAll(a.Body)
	return a.StatusCode, string(raw)
}

// until waits for a text on a screen.
func (k *collecting) until(want string, args ...string) string {
	k.t.Helper()
	var out string
	for range 300 {
		if out = k.trace("", args...); strings.Contains(out, want) {
			return out
		}
		time.Sleep(100 * time.Millisecond)
	}
	k.t.Fatalf("%q does not come:\n%s", want, out)
	return ""
}

func packed(body []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(body)
	_ = z.Close()
	return out.Bytes()
}

func TestWhatClientsSendBecomesARecord(t *testing.T) {
	k := newCollecting(t, "claude-code")
	stranger := []byte(logs(event("S9", "user_prompt", 1, map[string]string{"prompt": "a stranger asks"})))
	if status, says := k.post("/v1/logs", stranger, nil); status != 503 || !strings.Contains(says, "no hook has reported yet") {
		t.Error(status, says)
	}
	if status, says := k.post("/v1/logs", []byte(logs(event("S1", "user_prompt", 1, map[string]string{"prompt": "early"}))), nil); status != 503 {
		t.Error(status, says)
	}
	k.hook("SessionStart", "S1", map[string]any{"source": "startup"})
	time.Sleep(2 * time.Second) // until it is looked for again
	k.hook("UserPromptSubmit", "S1", map[string]any{"prompt": "use ghp_016C7vLmZUiTKqk9pQvyzXgtSR2wYn4fK1aB for it"})
	prompt := event("S1", "user_prompt", 1, map[string]string{"prompt": "use ghp_016C7vLmZUiTKqk9pQvyzXgtSR2wYn4fK1aB for it"})
	asked := event("S1", "api_request", 2, map[string]string{"request_id": "r1", "model": "claude-sonnet-4-5", "input_tokens": "100",
		"output_tokens": "20"})
	answer := event("S1", "assistant_response", 3, map[string]string{"request_id": "r1", "response": "It is done, with care."})
	if status, says := k.post("/v1/logs", []byte(logs(prompt, asked)), nil); status != 200 || says != "{}" {
		t.Fatal(status, says)
	}
	for range 2 { // the same again is stored once
		if status, says := k.post("/v1/logs", packed([]byte(logs(asked, answer))), func(q *http.Request) {
			q.Header.Set("Content-Encoding", "gzip")
		}); status != 200 || says != "{}" {
			t.Fatal(status, says)
		}
	}
	k.until("It is done, with care.", "show", "S1")
	shown := k.until("100 in, 20 out", "show", "S1") // figures of the answer that a `show` during the storing may not have
	if strings.Count(shown, "use [") != 1 || strings.Contains(shown, "ghp_0") || strings.Count(shown, "It is done") != 1 {
		t.Errorf("it is shown as\n%s", shown)
	}
	if found := k.trace("", "search", "done, with care"); !strings.Contains(found, "with care") {
		t.Error(found)
	}
	if files, _ := filepath.Glob(filepath.Join(k.repo.Dir, ".git", "traces", "prompts", "*", "*")); len(files) > 0 {
		t.Errorf("prompts are still kept as they were typed: %v", files)
	}

	var record struct {
		Security struct {
			Applied int `json:"redactions_applied"`
		}
	}
	if err := json.Unmarshal([]byte(k.trace("", "export", "--format", "opentraces", "S1")), &record); err != nil || record.Security.Applied != 1 {
		t.Errorf("%d redactions are told: %v", record.Security.Applied, err)
	}

	// in the end a conversation without hooks is told as one that nobody knows, and not stored; what the repository keeps has no
	// secret
	status, says := 503, ""
	for began := time.Now(); status == 503 && time.Since(began) < 30*time.Second; time.Sleep(time.Second / 2) {
		status, says = k.post("/v1/logs", stranger, nil)
	}
	if status != 200 || !strings.Contains(says, `"rejectedLogRecords":"1"`) {
		t.Error(status, says)
	}
	_ = filepath.Walk(filepath.Join(k.repo.Dir, ".git", "traces"), func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			raw, _ := os.ReadFile(path)
			if bytes.Contains(raw, []byte("a stranger asks")) || bytes.Contains(raw, []byte("ghp_0")) {
				t.Errorf("%s holds it", path)
			}
		}
		return nil
	})

	// killed, and again: the address stays, what was taken is there, and what was taken is not taken again
	base := k.base
	time.Sleep(time.Second) // what was refused is counted at the next look
	later := event("S1", "user_prompt", 10, map[string]string{"prompt": "and now something else"})
	if status, says := k.post("/v1/logs", []byte(logs(later)), nil); status != 200 {
		t.Fatal(status, says)
	}
	k.stop(syscall.SIGKILL)
	for range 100 {
		if _, err := http.Get(base); err != nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	k.start()
	if k.base != base {
		t.Errorf("it listens at %s, and did at %s", k.base, base)
	}
	if status, says := k.post("/v1/logs", []byte(logs(prompt, later)), nil); status != 200 || says != "{}" {
		t.Error(status, says)
	}
	said := k.stop(syscall.SIGTERM)
	k.trace("", "record")
	if shown := k.trace("", "show", "S1"); strings.Count(shown, "something else") != 1 || strings.Count(shown, "use [") != 1 {
		t.Errorf("it is shown as\n%s", shown)
	}
	if !strings.Contains(said, "1 refused of conversations that no hook reported") {
		t.Errorf("it said %q", said)
	}
	if told := k.trace("", "status"); !strings.Contains(told, "1 refused of conversations that no hook reported") {
		t.Error(told)
	}
	k.trace("", "purge", "--yes", "--trace", "S1")
	if left, _ := filepath.Glob(filepath.Join(k.repo.Dir, ".git", "traces", "otlp", "*.jsonl")); len(left) > 0 {
		t.Errorf("a purge left %v", left)
	}
}

// Whoever is not a client of the user gets nothing, and nothing that they send is stored.
func TestNobodyElseSends(t *testing.T) {
	k := newCollecting(t, "claude-code")
	k.hook("SessionStart", "S1", map[string]any{"source": "startup"})
	body := []byte(logs(event("S1", "user_prompt", 1, map[string]string{"prompt": "nobody asks this"})))
	set := func(name, value string) func(*http.Request) {
		return func(q *http.Request) { q.Header.Set(name, value) }
	}
	bomb := packed(make([]byte, 64<<20))
	for name, test := range map[string]struct {
		path   string
		body   []byte
		change func(*http.Request)
		status int
	}{
		"no token":          {"/v1/logs", body, func(q *http.Request) { q.Header.Del("Authorization") }, 401},
		"another token":     {"/v1/logs", body, set("Authorization", "Bearer "+strings.Repeat("0", 64)), 401},
		"another host":      {"/v1/logs", body, func(q *http.Request) { q.Host = "evil.example" }, 403},
		"a page":            {"/v1/logs", body, set("Origin", "http://evil.example"), 403},
		"another path":      {"/v1/profiles", body, nil, 404},
		"a look":            {"/v1/logs", nil, func(q *http.Request) { q.Method = http.MethodGet }, 405},
		"a question":        {"/v1/logs", nil, func(q *http.Request) { q.Method = http.MethodOptions }, 405},
		"a form":            {"/v1/logs", body, set("Content-Type", "text/plain"), 415},
		"another packing":   {"/v1/logs", body, set("Content-Encoding", "zstd"), 415},
		"too long":          {"/v1/logs", make([]byte, 17<<20), nil, 413},
		"a bomb":            {"/v1/logs", bomb, set("Content-Encoding", "gzip"), 413},
		"not gzip":          {"/v1/logs", body, set("Content-Encoding", "gzip"), 400},
		"half of gzip":      {"/v1/logs", packed(body)[:40], set("Content-Encoding", "gzip"), 400},
		"half of JSON":      {"/v1/logs", body[:len(body)/2], nil, 400},
		"no list":           {"/v1/logs", []byte(`{"resourceLogs":5}`), nil, 400},
		"deep JSON":         {"/v1/logs", []byte(strings.Repeat("[", 9000) + strings.Repeat("]", 9000)), nil, 400},
		"half of protobuf":  {"/v1/logs", []byte{0x0a, 0x7f, 1}, set("Content-Type", "application/x-protobuf"), 400},
		"broken of metrics": {"/v1/metrics", []byte("?"), nil, 200},
		"nothing":           {"/v1/traces", nil, set("Content-Type", "application/x-protobuf"), 200},
	} {
		if status, says := k.post(test.path, test.body, test.change); status != test.status && !(status == 0 && name == "too long") {
			t.Errorf("%s: status %d, not %d: %s", name, status, test.status, says)
		}
	}
	said := k.stop(syscall.SIGTERM)
	if !regexp.MustCompile(`0 events taken, 2 refused of another host or a page, \d refused malformed, 2 refused without the token, \d refused too large`).MatchString(said) {
		t.Errorf("it said %q", said)
	}
	if left, _ := filepath.Glob(filepath.Join(k.repo.Dir, ".git", "traces", "otlp", "*.jsonl")); len(left) > 0 {
		t.Errorf("stored: %v", left)
	}
	if info, err := os.Stat(filepath.Join(k.repo.Dir, ".git", "traces", "otlp", "token")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token: %v, %v", info, err)
	}
}

// Real clients that leave no session file: Claude Code in both encodings, and Codex.
func TestRealClientsSend(t *testing.T) {
	for _, protocol := range []string{"http/json", "http/protobuf"} {
		t.Run("claude "+strings.TrimPrefix(protocol, "http/"), func(t *testing.T) {
			driver.Need(t, "claude")
			k := newCollecting(t, "claude-code")
			res := driver.Run(t, "claude", k.repo, driver.Main(driver.Turn{Text: "Writing.", Tools: []driver.Tool{
				{Name: "Bash", Input: map[string]any{"command": "echo hello > new.txt", "description": "write"}}}},
				driver.Turn{Text: "It is written."}), driver.Options{
				Prompt: "[[script:main]] write a greeting", Path: []string{filepath.Dir(k.program)}, Args: []string{"--no-session-persistence"},
				Env: []string{"CLAUDE_CODE_ENABLE_TELEMETRY=1", "OTEL_LOGS_EXPORTER=otlp", "OTEL_METRICS_EXPORTER=otlp",
					"OTEL_EXPORTER_OTLP_PROTOCOL=" + protocol, "OTEL_EXPORTER_OTLP_ENDPOINT=" + k.base,
					"OTEL_EXPORTER_OTLP_HEADERS=" + k.headers, "OTEL_LOG_USER_PROMPTS=1", "OTEL_LOG_TOOL_DETAILS=1",
					"OTEL_LOG_ASSISTANT_RESPONSES=1", "OTEL_LOGS_EXPORT_INTERVAL=200"}})
			if len(res.Transcripts) > 0 {
				t.Fatalf("it left %v", res.Transcripts)
			}
			k.told(res.Session, "write a greeting", "echo hello > new.txt", "It is written.")
		})
	}
	t.Run("codex", func(t *testing.T) {
		driver.Need(t, "codex")
		k := newCollecting(t, "codex-cli")
		exporter := fmt.Sprintf(`{otlp-http={endpoint=%q,protocol="binary",headers={Authorization=%q}}}`, k.base+"/v1/logs", "Bearer "+k.token())
		res := driver.Run(t, "codex", k.repo, driver.Main(driver.Turn{Tools: []driver.Tool{
			{Name: "exec_command", Input: map[string]any{"cmd": "echo hello > new.txt"}}}},
			driver.Turn{Text: "It is written."}), driver.Options{Model: "gpt-5.5", Prompt: "[[script:main]] write a greeting",
			Path: []string{filepath.Dir(k.program)}, Args: []string{"--ephemeral", "-c", "otel.exporter=" + exporter, "-c", "otel.log_user_prompt=true"}})
		k.told(res.Session, "write a greeting", "echo hello > new.txt")
	})
}

// told waits for texts of the record of a conversation, which has its prompt once.
func (k *collecting) told(session string, texts ...string) {
	k.t.Helper()
	for _, text := range texts {
		shown := k.until(text, "show", session)
		if strings.Count(shown, "write a greeting") > 1 {
			k.t.Errorf("the prompt is told twice:\n%s", shown)
		}
	}
	k.trace("", "verify")
}
