package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"
)

// Error codes of JSON-RPC 2.0 and of the protocol.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeNotInitialized = -32002
	codeCancelled      = -32800
)

// mostBody is the size of the longest message in bytes. An editor sends a whole buffer at a time.
const mostBody = 64 << 20

// message is a request (it has id and method), a notification (only method), or an answer (only id).
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"` // a number or a string; null if it could not be parsed
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// rpcError is an error in the form that the editor gets.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (f *rpcError) Error() string { return f.Message }

// conn reads and writes framed messages. Several goroutines may write at once.
type conn struct {
	in *bufio.Reader

	mu   sync.Mutex
	out  io.Writer
	next int // id of our next request
}

// errFrame means that the stream cannot be read any further: the start of the next message is unknown.
var errFrame = errors.New("a message has no readable header")

// read returns the next message. If a body is not a message, the error is an *rpcError, and reading can continue. After
// any other error it cannot.
func (c *conn) read() (*message, error) {
	header, err := textproto.NewReader(c.in).ReadMIMEHeader()
	if err != nil {
		if errors.Is(err, io.EOF) && len(header) == 0 {
			return nil, io.EOF
		}
		return nil, fmt.Errorf("%w: %w", errFrame, err)
	}
	size, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || size < 0 || size > mostBody {
		return nil, fmt.Errorf("%w: Content-Length is %q", errFrame, header.Get("Content-Length"))
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(c.in, body); err != nil {
		return nil, err
	}
	m := &message{}
	if err := json.Unmarshal(body, m); err != nil {
		return nil, &rpcError{codeParse, "the message is not JSON of a request"}
	}
	if m.Version != "2.0" {
		return nil, &rpcError{codeInvalidRequest, "the message is not of JSON-RPC 2.0"}
	}
	return m, nil
}

func (c *conn) write(m *message) error {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = c.out.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...))
	return err
}

// answer sends the answer to a request: an error, or a result; nil is sent as null.
func (c *conn) answer(id json.RawMessage, result any, failed error) {
	m := &message{ID: id}
	var told *rpcError
	switch {
	case errors.As(failed, &told):
		m.Error = told
	case errors.Is(failed, context.Canceled):
		m.Error = &rpcError{codeCancelled, "cancelled"}
	case failed != nil:
		m.Error = &rpcError{codeInternal, failed.Error()}
	default:
		raw, err := json.Marshal(result)
		if m.Result = raw; err != nil {
			m.Result, m.Error = nil, &rpcError{codeInternal, err.Error()}
		}
	}
	_ = c.write(m) // a read will report that the editor has ended
}

// tell sends a notification.
func (c *conn) tell(method string, params any) {
	if raw, err := json.Marshal(params); err == nil {
		_ = c.write(&message{Method: method, Params: raw})
	}
}

// request sends a request whose answer is ignored.
func (c *conn) request(method string, params any) {
	raw, err := json.Marshal(params)
	if err != nil {
		return
	}
	c.mu.Lock()
	c.next++
	id := strconv.Itoa(c.next)
	c.mu.Unlock()
	_ = c.write(&message{ID: json.RawMessage(`"git-trace-` + id + `"`), Method: method, Params: raw})
}
