package web

import (
	"fmt"
	"net/http"
	"time"
)

// Limits for the pages that wait for news, and the time between two checks.
const (
	mostWatchers = 32
	lookEvery    = time.Second
	beatEvery    = 20 // number of checks after which a page gets a sign of life
)

type watchers struct{ slots chan struct{} }

// watch sends a page an event when the repository has changed, as server-sent events (https://html.spec.whatwg.org).
func (s *Site) watch(w http.ResponseWriter, r *http.Request) {
	select {
	case s.live.slots <- struct{}{}:
		defer func() { <-s.live.slots }()
	default:
		busy(w, "too many pages wait for news")
		return
	}
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	last := ""
	for look := 0; ; look++ {
		_ = control.SetWriteDeadline(time.Now().Add(mostTime)) // a server that does not support this ends the request sooner
		state, err := s.answers.now(r.Context())
		text := ""
		switch {
		case err != nil: // the repository may be deleted; the next check decides
		case state != last:
			text = "data: " + state + "\n\n"
			last = state
		case look%beatEvery == 0:
			text = ": here\n\n"
		}
		if text != "" {
			if _, err := fmt.Fprint(w, text); err != nil {
				return
			}
			if control.Flush() != nil {
				return
			}
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(lookEvery):
		}
	}
}
