package otlp

import (
	"compress/gzip"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/records/otel"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Limits for requests.
const (
	mostBody        = 16 << 20 // bytes, compressed and decompressed
	mostHeader      = 16 << 10
	mostConnections = 32
	headerTime      = 5 * time.Second
	bodyTime        = 20 * time.Second
	answerTime      = 30 * time.Second
	restTime        = 2 * time.Minute
	endTime         = 500 * time.Millisecond
)

// Reasons why a request is refused.
const (
	BadHost  = "host"
	BadToken = "token"
	TooLarge = "too_large"
	BadForm  = "malformed"
)

// Taker takes the items of requests, one request at a time.
type Taker interface {
	Take(ctx context.Context, items []otel.Item) (otel.Taken, error)
	Refused(why string)
}

// Receiver serves clients.
type Receiver struct {
	Token string
	Taker Taker

	hosts       map[string]bool
	turn        chan struct{} // held by the request that is being decoded
	connections atomic.Int32
}

// Listen listens on both loopback addresses, or only on the IPv4 address if IPv6 fails. Port 0 means any free port.
func Listen(port int) ([]net.Listener, error) {
	first, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	_, text, _ := net.SplitHostPort(first.Addr().String())
	if second, err := net.Listen("tcp6", net.JoinHostPort("::1", text)); err == nil {
		return []net.Listener{first, second}, nil
	}
	return []net.Listener{first}, nil
}

// Serve serves clients until the context ends. Then the open requests have a short time to end.
func (r *Receiver) Serve(ctx context.Context, listeners []net.Listener) error {
	_, port, _ := net.SplitHostPort(listeners[0].Addr().String())
	r.hosts, r.turn = map[string]bool{}, make(chan struct{}, 1)
	for _, name := range []string{"127.0.0.1", "localhost", "::1"} {
		r.hosts[net.JoinHostPort(name, port)] = true
	}
	server := &http.Server{
		Handler: r, ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, WriteTimeout: bodyTime + answerTime,
		IdleTimeout: restTime, MaxHeaderBytes: mostHeader, DisableGeneralOptionsHandler: true,
		ConnState: func(c net.Conn, s http.ConnState) {
			switch {
			case s == http.StateNew && r.connections.Add(1) > mostConnections:
				_ = c.Close()
			case s == http.StateClosed:
				r.connections.Add(-1)
			}
		},
	}
	failed := make(chan error, len(listeners))
	for _, l := range listeners {
		fault.Go(func() { failed <- server.Serve(l) })
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	ending, stop := context.WithTimeout(context.Background(), endTime)
	defer stop()
	if server.Shutdown(ending) != nil {
		_ = server.Close()
	}
	return err
}

// ServeHTTP serves one request.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	var broken error
	defer func() {
		if broken != nil {
			answer{w, q}.fail(http.StatusInternalServerError, broken.Error())
		}
	}()
	defer fault.Caught(&broken)
	r.serve(answer{w, q})
}

func (r *Receiver) serve(a answer) {
	q := a.q
	kind, known := map[string]string{"/v1/traces": "Spans", "/v1/logs": "LogRecords", "/v1/metrics": ""}[q.URL.Path]
	token, bearer := strings.CutPrefix(q.Header.Get("Authorization"), "Bearer ")
	if !bearer { // Claude Code sends the text of OTEL_EXPORTER_OTLP_HEADERS unchanged
		token, bearer = strings.CutPrefix(q.Header.Get("Authorization"), "Bearer%20")
	}
	switch {
	case !r.hosts[q.Host]: // a foreign name that resolves to this machine (DNS rebinding)
		r.Taker.Refused(BadHost)
		a.fail(http.StatusForbidden, "this server does not have that name")
	case q.Header.Get("Origin") != "" || q.Header.Get("Sec-Fetch-Site") != "":
		r.Taker.Refused(BadHost)
		a.fail(http.StatusForbidden, "web pages may not send events")
	case !bearer || subtle.ConstantTimeCompare([]byte(token), []byte(r.Token)) != 1:
		r.Taker.Refused(BadToken)
		a.w.Header().Set("WWW-Authenticate", "Bearer")
		a.fail(http.StatusUnauthorized, "the token is missing or wrong")
	case !known:
		a.fail(http.StatusNotFound, "the paths are /v1/logs, /v1/traces and /v1/metrics")
	case q.Method != http.MethodPost:
		a.w.Header().Set("Allow", http.MethodPost)
		a.fail(http.StatusMethodNotAllowed, "send events with POST")
	case a.encoding() == "":
		a.fail(http.StatusUnsupportedMediaType, "the body must be application/json or application/x-protobuf")
	default:
		r.take(a, kind)
	}
}

// take reads the body, and passes its events to the taker.
func (r *Receiver) take(a answer, kind string) {
	ctx, cancel := context.WithTimeout(a.q.Context(), answerTime)
	defer cancel()
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		a.later("others are being answered")
		return
	}
	body, status, err := a.body()
	if err != nil {
		why := BadForm
		if status == http.StatusRequestEntityTooLarge {
			why = TooLarge
		}
		r.Taker.Refused(why)
		a.fail(status, err.Error())
		return
	}
	if kind == "" { // metrics
		a.done("", otel.Taken{})
		return
	}
	items, err := itemsOf(body, a.encoding(), kind)
	if err != nil {
		r.Taker.Refused(BadForm)
		a.fail(http.StatusBadRequest, err.Error())
		return
	}
	taken := otel.Taken{}
	if len(items) > 0 {
		taken, err = r.Taker.Take(ctx, items)
	}
	switch {
	case err != nil:
		a.later(err.Error())
	case taken.Error != "":
		a.later(taken.Error)
	case taken.Early > 0:
		a.later(fmt.Sprintf("%d of a conversation that no hook has reported yet", taken.Early))
	default:
		a.done(kind, taken)
	}
}

// itemsOf decodes a body of spans or log records.
func itemsOf(body []byte, encoding, kind string) ([]otel.Item, error) {
	m, member := &logRequest, "resourceLogs"
	if kind == "Spans" {
		m, member = &traceRequest, "resourceSpans"
	}
	if encoding == asProto {
		var err error
		if body, err = jsonOf(body, m); err != nil {
			return nil, err
		}
	} else if !json.Valid(body) || rawjson.NewDecoder(body).Kind() != rawjson.Object {
		return nil, errWire
	}
	switch list := rawjson.Member(body, member); {
	case list == nil:
		return nil, nil
	case rawjson.NewDecoder(list).Kind() != rawjson.Array:
		return nil, errWire
	}
	items, err := otel.Items(body)
	switch {
	case err != nil:
		return nil, errWire
	case len(items) > mostItems:
		return nil, errMany
	}
	return items, nil
}

// Encodings of bodies.
const (
	asJSON  = "application/json"
	asProto = "application/x-protobuf"
)

// answer is a request with its answer. Both have the same encoding.
type answer struct {
	w http.ResponseWriter
	q *http.Request
}

func (a answer) encoding() string {
	kind, _, err := mime.ParseMediaType(a.q.Header.Get("Content-Type"))
	if err != nil || kind != asJSON && kind != asProto {
		return ""
	}
	return kind
}

// body reads the body. If that fails, it also returns the HTTP status.
func (a answer) body() ([]byte, int, error) {
	if a.q.ContentLength > mostBody {
		return nil, http.StatusRequestEntityTooLarge, errors.New("the body is too long")
	}
	var in io.Reader = http.MaxBytesReader(a.w, a.q.Body, mostBody)
	switch a.q.Header.Get("Content-Encoding") {
	case "", "identity":
	case "gzip":
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, http.StatusBadRequest, errors.New("the body is not gzip")
		}
		in = z
	default:
		return nil, http.StatusUnsupportedMediaType, errors.New("the body must be plain or compressed with gzip")
	}
	raw, err := io.ReadAll(io.LimitReader(in, mostBody+1))
	long := (*http.MaxBytesError)(nil)
	switch {
	case errors.As(err, &long) || len(raw) > mostBody:
		a.w.Header().Set("Connection", "close")
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("the body is longer than %d MiB", mostBody>>20)
	case err != nil:
		return nil, http.StatusBadRequest, errors.New("the body does not end correctly")
	}
	return raw, http.StatusOK, nil
}

// `done` answers that the events were taken, and how many were rejected.
func (a answer) done(kind string, t otel.Taken) {
	var says []string
	if t.Unknown > 0 {
		says = append(says, fmt.Sprintf("%d of conversations that no hook of this repository reported", t.Unknown))
	}
	if t.Full > 0 {
		says = append(says, fmt.Sprintf("%d beyond the bounds of a conversation", t.Full))
	}
	refused, why := t.Unknown+t.Full, strings.Join(says, ", ")
	switch {
	case refused == 0 && a.encoding() == asJSON:
		a.send(http.StatusOK, []byte("{}"))
	case refused == 0:
		a.send(http.StatusOK, nil)
	case a.encoding() == asJSON:
		raw, _ := json.Marshal(map[string]any{"partialSuccess": map[string]string{
			"rejected" + kind: strconv.Itoa(refused), "errorMessage": why}})
		a.send(http.StatusOK, raw)
	default:
		a.send(http.StatusOK, inField(1, append(protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType),
			uint64(refused)), inField(2, []byte(why))...)))
	}
}

func inField(n protowire.Number, raw []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), raw)
}

// `later` answers that the client may send the same events again.
func (a answer) later(why string) {
	a.w.Header().Set("Retry-After", "2")
	a.fail(http.StatusServiceUnavailable, why)
}

// `fail` answers with a google.rpc.Status, as OTLP demands.
func (a answer) fail(status int, why string) {
	code := map[int]uint64{http.StatusUnauthorized: 16, http.StatusForbidden: 7, http.StatusNotFound: 5,
		http.StatusServiceUnavailable: 14, http.StatusInternalServerError: 13}[status]
	if code == 0 {
		code = 3
	}
	if a.encoding() == asProto {
		a.send(status, append(protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), code),
			inField(2, []byte(why))...))
		return
	}
	raw, _ := json.Marshal(map[string]any{"code": code, "message": why})
	a.send(status, raw)
}

func (a answer) send(status int, body []byte) {
	kind := asJSON
	if a.encoding() == asProto {
		kind = asProto
	}
	a.w.Header().Set("Content-Type", kind)
	a.w.WriteHeader(status)
	_, _ = a.w.Write(body)
}
