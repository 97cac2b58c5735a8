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

// Codes of errors, as JSON-RPC 2.0 and the protocol define them.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeNotInitialized = -32002
	codeCancelled      = -32800
)

// mostBody bounds a message, in bytes. An editor sends a buffer whole.
const mostBody = 64 << 20

// message is a request (id and method), a notification (method alone), or an answer (id alone).
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"` // a number or a string; null if it could not be read
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// rpcError is an error as the other side gets it.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (f *rpcError) Error() string { return f.Message }

// conn reads and writes framed messages. Writing is safe from several goroutines at once.
type conn struct {
	in *bufio.Reader

	mu   sync.Mutex
	out  io.Writer
	next int // the id of our next request
}

// errFrame says that the stream is unusable: the beginning of the next message is unknown.
var errFrame = errors.New("a message has no readable header")

// read returns the next message. A body that is not a message is a *rpcError, and reading can continue; any other error
// ends it.
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

// answer sends the answer to a request: a result, null for a nil one, or an error.
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
	_ = c.write(m) // reading reports an editor that has ended
}

// tell sends a notification.
func (c *conn) tell(method string, params any) {
	if raw, err := json.Marshal(params); err == nil {
		_ = c.write(&message{Method: method, Params: raw})
	}
}

// request asks the editor for something whose answer does not matter.
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
