package web

import (
	"fmt"
	"net/http"
	"time"
)

// The number of pages that may wait for news at once, and the times between looks.
const (
	mostWatchers = 32
	lookEvery    = time.Second
	beatEvery    = 20 // number of looks after which a page gets a sign of life
)

type watchers struct{ slots chan struct{} }

// watch notifies a page when the repository has changed, by server-sent events (https://html.spec.whatwg.org).
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
		_ = control.SetWriteDeadline(time.Now().Add(mostTime)) // a server that cannot ends it sooner
		state, err := s.answers.now(r.Context())
		text := ""
		switch {
		case err != nil: // as with a deleted repository; the next look decides
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
