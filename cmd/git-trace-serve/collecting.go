package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/records/otel"
	"github.com/git-trace/git-trace/serve/otlp"
)

// pipe connects to the git-trace that started this program, which knows the conversations and stores the items. That
// git-trace first sends the port and the token on standard input.
type pipe struct {
	mu   sync.Mutex
	out  *json.Encoder
	told chan otel.Answer
	n    int // number of the last items sent; one request at a time sends items
}

// `told` is a message to git-trace: the address, a refusal, or items. git-trace answers only items.
type told struct {
	Address string      `json:"address,omitempty"`
	Refused string      `json:"refused,omitempty"`
	Items   []otel.Item `json:"items,omitempty"`
	N       int         `json:"n,omitempty"`
}

// collect receives telemetry until an interrupt, or until the git-trace that started it has ended.
func collect(ctx context.Context, _ *answers, _ []string) error {
	in := json.NewDecoder(os.Stdin)
	var asked struct {
		Port  int    `json:"port"`
		Token string `json:"token"`
		Free  bool   `json:"free"` // if the port is taken, use another one
	}
	if err := in.Decode(&asked); err != nil || asked.Token == "" {
		return errors.New("no token was given")
	}
	listeners, err := otlp.Listen(asked.Port)
	if errors.Is(err, syscall.EADDRINUSE) && asked.Free {
		listeners, err = otlp.Listen(0)
	}
	if err != nil {
		return fmt.Errorf("take telemetry: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &pipe{out: json.NewEncoder(os.Stdout), told: make(chan otel.Answer)}
	fault.Go(func() {
		defer cancel()
		for {
			var t otel.Answer
			if in.Decode(&t) != nil {
				return
			}
			select {
			case p.told <- t:
			case <-ctx.Done():
				return
			}
		}
	})
	if err := p.say(told{Address: listeners[0].Addr().String()}); err != nil {
		return err
	}
	return (&otlp.Receiver{Token: asked.Token, Taker: p}).Serve(ctx, listeners)
}

func (p *pipe) say(what told) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Encode(what)
}

// Take sends items to git-trace, and waits for the answer.
func (p *pipe) Take(ctx context.Context, items []otel.Item) (otel.Taken, error) {
	p.n++
	if err := p.say(told{Items: items, N: p.n}); err != nil {
		return otel.Taken{}, errors.New("git-trace has gone")
	}
	for {
		select {
		case t := <-p.told:
			if t.N == p.n { // other answers came too late for their request
				return t.Taken, nil
			}
		case <-ctx.Done():
			return otel.Taken{}, errors.New("git-trace does not answer")
		}
	}
}

// Refused reports a refused request to git-trace, which counts it.
func (p *pipe) Refused(why string) { _ = p.say(told{Refused: why}) }
