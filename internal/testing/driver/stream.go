package driver

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
)

// stream writes server-sent events. After the first error it writes nothing.
type stream struct {
	w   http.ResponseWriter
	out *http.ResponseController
	err error
}

func newStream(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	return &stream{w: w, out: http.NewResponseController(w)}
}

// event sends a named event. The member "type" of its data has the name, too.
func (s *stream) event(name string, fields map[string]any) {
	data := map[string]any{"type": name}
	maps.Copy(data, fields)
	s.send("event: "+name+"\n", data)
}

// data sends an event without a name.
func (s *stream) data(value any) { s.send("", value) }

func (s *stream) send(head string, value any) {
	if s.err != nil {
		return
	}
	data, err := json.Marshal(value)
	if err != nil {
		s.err = err
		return
	}
	s.raw(head + "data: " + string(data) + "\n\n")
}

func (s *stream) raw(text string) {
	if s.err != nil {
		return
	}
	if _, s.err = fmt.Fprint(s.w, text); s.err == nil {
		s.err = s.out.Flush()
	}
}

// drop closes the connection in the middle of the response, as a failing network does.
func (s *stream) drop() error {
	conn, _, err := s.out.Hijack()
	if err != nil {
		return fmt.Errorf("drop connection: %w", err)
	}
	return conn.Close()
}

// pieces splits a text as a model streams it.
func pieces(text string) []string {
	const size = 40
	runes := []rune(text)
	var out []string
	for len(runes) > size {
		out = append(out, string(runes[:size]))
		runes = runes[size:]
	}
	return append(out, string(runes))
}
