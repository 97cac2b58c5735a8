package driver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// serve plays a script in an empty directory until the test ends.
func serve(t *testing.T, script Script) (*Server, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := Serve(Config{
		Script: script, Dir: dir, Env: os.Environ(), Seed: "test",
		Vars: map[string]string{"REPO": dir, "QUOTED": `a "b" \c`},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, dir
}

func post(t *testing.T, s *Server, path, body string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", "secret-key")
	req.Header.Set("Authorization", "Bearer secret-token")
	return http.DefaultClient.Do(req)
}

// sent is one server-sent event.
type sent struct {
	Name string
	Data map[string]any
}

func events(t *testing.T, body io.Reader) []sent {
	t.Helper()
	var out []sent
	var name string
	scanner := bufio.NewScanner(body)
	for scanner.Scan() {
		line := scanner.Text()
		switch {
		case strings.HasPrefix(line, "event: "):
			name = strings.TrimPrefix(line, "event: ")
		case strings.HasPrefix(line, "data: {"):
			e := sent{Name: name}
			if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &e.Data); err != nil {
				t.Fatal(err)
			}
			out = append(out, e)
		}
	}
	return out
}

// ask plays the turn that follows n assistant turns and returns its events.
func ask(t *testing.T, s *Server, script string, n int) []sent {
	t.Helper()
	resp, err := post(t, s, "/v1/messages?beta=true", messages(script, n, true))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("status %d, content type %s", resp.StatusCode, got)
	}
	return events(t, resp.Body)
}

func messages(script string, n int, stream bool) string {
	list := []any{map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": "[[script:" + script + "]] go"}}}}
	for range n {
		list = append(list,
			map[string]any{"role": "assistant", "content": "did it"},
			map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": "x", "content": "task 4711 began"}}})
	}
	data, _ := json.Marshal(map[string]any{"model": "m", "stream": stream, "messages": list})
	return string(data)
}

// tools collects the tool calls out of a stream: id, name and input.
func tools(t *testing.T, stream []sent) [][3]string {
	t.Helper()
	var out [][3]string
	for _, e := range stream {
		switch e.Name {
		case "content_block_start":
			b := e.Data["content_block"].(map[string]any)
			if b["type"] == "tool_use" {
				out = append(out, [3]string{b["id"].(string), b["name"].(string), ""})
			}
		case "content_block_delta":
			d := e.Data["delta"].(map[string]any)
			if d["type"] == "input_json_delta" {
				out[len(out)-1][2] += d["partial_json"].(string)
			}
		}
	}
	return out
}

func TestToolIDsAreTheSameInEveryExecutionAndNewForEachRetry(t *testing.T) {
	t.Parallel()
	one, _ := serve(t, Main(Turn{Tools: []Tool{Bash("a")}}))
	two, _ := serve(t, Main(Turn{Tools: []Tool{Bash("a")}}))
	first := tools(t, ask(t, one, "main", 0))[0][0]
	if other := tools(t, ask(t, two, "main", 0))[0][0]; other != first {
		t.Errorf("ids are %s and %s", first, other)
	}
	if again := tools(t, ask(t, one, "main", 0))[0][0]; again == first {
		t.Errorf("the retry has the id %s again", again)
	}
}

func TestVariablesAndHistoryAreFilledIn(t *testing.T) {
	t.Parallel()
	s, dir := serve(t, Main(Turn{}, Turn{Tools: []Tool{{Name: "X", Input: map[string]any{
		"path": "${REPO}/f", "quoted": "${QUOTED}", "number": `@{re:task (\d+)}@`,
		"deep": []any{map[string]any{"text": `id=@{re:task (\d+)}@;`}},
	}}}}))
	var got map[string]any
	if err := json.Unmarshal([]byte(tools(t, ask(t, s, "main", 1))[0][2]), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"path": dir + "/f", "quoted": `a "b" \c`, "number": 4711.0,
		"deep": []any{map[string]any{"text": "id=4711;"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("input is %v, want %v", got, want)
	}
}

func TestErrorIsGivenOnceAndTheRetryGetsTheNextTurn(t *testing.T) {
	t.Parallel()
	s, _ := serve(t, Main(
		Turn{Error: &Fault{Status: 529}}, Turn{Tools: []Tool{Bash("a")}, Disconnect: true}, Turn{Text: "recovered"},
		Turn{Error: &Fault{Status: 400, Body: json.RawMessage(`{"own":"body"}`)}, Repeat: true},
	))
	resp, err := post(t, s, "/v1/messages", messages("main", 0, true))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != 529 {
		t.Errorf("status is %d", resp.StatusCode)
	}
	resp, err = post(t, s, "/v1/messages", messages("main", 0, true))
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
	}
	if err == nil {
		t.Error("the stream that was to be cut came to its end")
	}
	if last := ask(t, s, "main", 0); last[2].Data["delta"].(map[string]any)["text"] != "recovered" {
		t.Errorf("retry got %v", last)
	}
	for range 2 {
		resp, err := post(t, s, "/v1/messages", messages("main", 1, true))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != 400 || string(body) != `{"own":"body"}` {
			t.Errorf("answer is %d %s", resp.StatusCode, body)
		}
	}
}

func TestHumanEditsOnceHoweverOftenTheTurnIsAskedFor(t *testing.T) {
	t.Parallel()
	s, dir := serve(t, Main(Turn{Sh: "echo human >> f", WaitFile: "${REPO}/f", Text: "ok"}, Turn{Sh: "exit 7"}))
	ask(t, s, "main", 0)
	ask(t, s, "main", 0)
	if got, err := os.ReadFile(filepath.Join(dir, "f")); err != nil || string(got) != "human\n" {
		t.Errorf("file holds %q (%v)", got, err)
	}
	if p := s.Problems(); len(p) > 0 {
		t.Errorf("problems: %q", p)
	}
	if left := s.Unplayed(); !reflect.DeepEqual(left, []string{"main#1"}) {
		t.Errorf("unplayed: %q", left)
	}
	ask(t, s, "main", 1)
	if p := s.Problems(); len(p) != 1 || !strings.Contains(p[0], "exit status 7") {
		t.Errorf("problems: %q", p)
	}
}

func TestUnknownScriptIsAProblemAndNoMarkerIsNot(t *testing.T) {
	t.Parallel()
	s, _ := serve(t, Main(Turn{}))
	resp, err := post(t, s, "/v1/messages", `{"model":"m","messages":[{"role":"user","content":"a title, please"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if p := s.Problems(); len(p) > 0 || resp.StatusCode != http.StatusOK {
		t.Errorf("status %d, problems: %q", resp.StatusCode, p)
	}
	ask(t, s, "nosuch", 0)
	if p := s.Problems(); len(p) != 1 {
		t.Errorf("problems: %q", p)
	}
}

func TestSideEndpointsAreAnsweredAndCredentialsStayOutOfTheRecord(t *testing.T) {
	t.Parallel()
	s, _ := serve(t, Main(Turn{}))
	for path, status := range map[string]int{"/v1/messages/count_tokens?beta=true": 200, "/v1/models": 200, "/": 200, "/api/else": 404} {
		resp, err := post(t, s, path, "{}")
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != status {
			t.Errorf("%s is answered with %d", path, resp.StatusCode)
		}
	}
	record, err := json.Marshal(s.Requests())
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(record, []byte("secret")) {
		t.Errorf("a credential is in the record: %s", record)
	}
}

func TestOtherHostsAreRefusedAndRemembered(t *testing.T) {
	t.Parallel()
	s, _ := serve(t, Main(Turn{}))
	proxy, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), DisableKeepAlives: true}}
	for _, target := range []string{"https://example.invalid/x", "http://example.invalid/x"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusForbidden {
				t.Errorf("%s is answered with %d", target, resp.StatusCode)
			}
		}
	}
	if got := s.Outbound(); !reflect.DeepEqual(got, []string{"example.invalid:443", "example.invalid"}) {
		t.Errorf("outbound is %q", got)
	}
}
