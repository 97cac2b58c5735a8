package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/internal/version"
)

// Bounds of the data for a collector, and of the time.
const (
	mostRequest  = 4 << 20 // of spans in one request: collectors refuse large ones
	mostReply    = 64 << 10
	mostTries    = 4
	mostWait     = 30 * time.Second
	requestTimes = time.Minute
)

// headersName is the variable in which OpenTelemetry has headers for collectors: NAME=VALUE, with commas between.
const headersName = "OTEL_EXPORTER_OTLP_HEADERS"

// sendSpans sends the documents on standard input, one a line, to the collector at the address, and says how many.
func sendSpans(ctx context.Context, _ *answers, args []string) error {
	if len(args) != 1 {
		return errors.New("otlp takes the address of a collector")
	}
	c, err := newCollector(args[0], os.Getenv(headersName))
	if err != nil {
		return err
	}
	sent, err := c.sendAll(ctx, os.Stdin)
	fmt.Println(sent)
	return err
}

// collector takes spans, by OTLP over HTTP, in JSON.
type collector struct {
	client  *http.Client
	address *url.URL
	headers http.Header
	pause   time.Duration // before a request is tried again
}

func newCollector(address, headers string) (*collector, error) {
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, errors.New("the address of a collector begins with http:// or https://")
	}
	if strings.Trim(at.Path, "/") == "" { // as OTEL_EXPORTER_OTLP_ENDPOINT is read
		at.Path = "/v1/traces"
	}
	c := &collector{address: at, headers: http.Header{}, pause: time.Second, client: &http.Client{Timeout: requestTimes,
		// what was asked for is this address, and no other
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	for pair := range strings.SplitSeq(headers, ",") {
		name, value, found := strings.Cut(pair, "=")
		if plain, err := url.PathUnescape(strings.TrimSpace(value)); found && err == nil {
			c.headers.Set(strings.TrimSpace(name), plain)
		}
	}
	c.headers.Set("Content-Type", "application/json")
	c.headers.Set("User-Agent", "git-trace/"+version.Number)
	return c, nil
}

// sendAll sends documents, one a line, and returns the number of accepted spans.
func (c *collector) sendAll(ctx context.Context, in io.Reader) (sent int, err error) {
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := c.sendDocument(ctx, line); err != nil {
				return sent, fmt.Errorf("send to %s: %w", c.address.Redacted(), err)
			}
			sent++
		}
		if errors.Is(err, io.EOF) {
			return sent, nil
		}
		if err != nil {
			return sent, err
		}
	}
}

// document is a document of OTLP, decoded as far as it must be cut.
type document struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   json.RawMessage `json:"resource,omitempty"`
	ScopeSpans []scopeSpans    `json:"scopeSpans"`
}

type scopeSpans struct {
	Scope json.RawMessage   `json:"scope,omitempty"`
	Spans []json.RawMessage `json:"spans"`
}

// sendDocument sends a document, in several requests if it is long: spans name their trace, so they need not come
// together.
func (c *collector) sendDocument(ctx context.Context, line []byte) error {
	var d document
	if err := json.Unmarshal(line, &d); err != nil {
		return err
	}
	for _, r := range d.ResourceSpans {
		for _, s := range r.ScopeSpans {
			for rest := s.Spans; len(rest) > 0; {
				size, n := len(rest[0]), 1
				for n < len(rest) && size+len(rest[n]) <= mostRequest {
					size += len(rest[n])
					n++
				}
				part := document{[]resourceSpans{{r.Resource, []scopeSpans{{s.Scope, rest[:n]}}}}}
				raw, err := json.Marshal(part)
				if err == nil {
					err = c.post(ctx, raw)
				}
				if err != nil {
					return err
				}
				rest = rest[n:]
			}
		}
	}
	return nil
}

// post sends a request, again where the collector says that it will take it later.
func (c *collector) post(ctx context.Context, body []byte) error {
	wait := c.pause
	for try := 1; ; try++ {
		again, err := c.try(ctx, body)
		if err == nil || again < 0 || try == mostTries {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(max(again, wait), mostWait)):
		}
		wait *= 2
	}
}

// never says that a request is not to be tried again.
const never = -1

// try sends a request once. If it failed, it tells the time after which it may be tried again.
func (c *collector) try(ctx context.Context, body []byte) (again time.Duration, err error) {
	asked, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address.String(), bytes.NewReader(body))
	if err != nil {
		return never, err
	}
	asked.Header = c.headers.Clone()
	got, err := c.client.Do(asked)
	var broken *url.Error
	if errors.As(err, &broken) {
		return never, broken.Err // without the address, which may hold a password
	}
	if err != nil {
		return never, err
	}
	defer func() { _ = got.Body.Close() }()
	reply, err := io.ReadAll(io.LimitReader(got.Body, mostReply))
	switch {
	case got.StatusCode == http.StatusTooManyRequests, got.StatusCode == http.StatusBadGateway,
		got.StatusCode == http.StatusServiceUnavailable, got.StatusCode == http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(got.Header.Get("Retry-After"))
		return time.Duration(max(seconds, 0)) * time.Second, refusal(got.Status, reply)
	case got.StatusCode/100 != 2:
		return never, refusal(got.Status, reply)
	case err != nil:
		return never, err
	}
	return never, rejected(reply)
}

// refusal is the error for an answer that is not a success.
func refusal(status string, reply []byte) error {
	var told struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(reply, &told) != nil || told.Message == "" {
		told.Message = strings.TrimSpace(string(reply[:min(len(reply), 200)]))
	}
	if told.Message == "" {
		return errors.New(status)
	}
	return fmt.Errorf("%s: %s", status, told.Message)
}

// rejected is the error for an answer that takes only a part.
func rejected(reply []byte) error {
	var told struct {
		Partial struct {
			Rejected json.RawMessage `json:"rejectedSpans"`
			Message  string          `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	_ = json.Unmarshal(reply, &told) // what is no JSON tells nothing
	if n := strings.Trim(string(told.Partial.Rejected), `"`); n != "" && n != "0" {
		return fmt.Errorf("%.20s spans were not taken: %.200s", n, told.Partial.Message)
	}
	return nil
}
