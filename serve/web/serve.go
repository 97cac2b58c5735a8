package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/git-trace/git-trace/internal/fault"
)

// Options holds the settings of a server.
type Options struct {
	Address string        // a loopback address with a port; port 0: any free port
	Anyway  bool          // allow an address that other machines can reach
	Idle    time.Duration // the time without a request after which the server ends; 0: never
}

// ErrNotLoopback is the error for an address that other machines could reach.
var ErrNotLoopback = errors.New("only this machine may connect: the address is not a loopback address")

// Limits for a connection.
const (
	headerTime = 5 * time.Second
	readTime   = 10 * time.Second
	restTime   = time.Minute
	endTime    = 2 * time.Second
	goneEvery  = 5 * time.Second // time between two checks that the repository exists
)

// Serve serves pages until ctx ends, the repository is deleted, or no request comes within o.Idle. It passes the
// address of the pages to ready; the address contains the token of this start.
func (s *Site) Serve(ctx context.Context, o Options, ready func(Opened)) error {
	host, _, err := net.SplitHostPort(o.Address)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() && !o.Anyway {
		return fmt.Errorf("%s: %w", host, ErrNotLoopback)
	}
	listener, err := net.Listen("tcp", o.Address)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var asked atomic.Int64
	asked.Store(time.Now().UnixNano())
	token := newToken()
	// No request that the guard lets through changes anything. If that changes one day, other pages still cannot send such
	// a request.
	guarded := newGuard(http.NewCrossOriginProtection().Handler(s.Handler()), listener.Addr().String(), token)
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Store(time.Now().UnixNano())
			if err := safely(guarded, w, r); err != nil {
				fmt.Fprintf(os.Stderr, "git-trace: error: %v\n", err)
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		}),
		ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: mostTime + headerTime, IdleTimeout: restTime,
		MaxHeaderBytes: mostHeader, BaseContext: func(net.Listener) context.Context { return ctx },
	}
	if o.Idle > 0 {
		fault.Go(func() {
			for ctx.Err() == nil {
				left := o.Idle - time.Since(time.Unix(0, asked.Load()))
				if left <= 0 {
					cancel()
					return
				}
				select {
				case <-ctx.Done():
				case <-time.After(left):
				}
			}
		})
	}
	fault.Go(func() {
		<-ctx.Done()
		ending, stop := context.WithTimeout(context.Background(), endTime)
		defer stop()
		if server.Shutdown(ending) != nil {
			_ = server.Close()
		}
	})
	fault.Go(func() { s.watchGone(ctx, cancel) })
	ready(Opened{Base: "http://" + listener.Addr().String(), Token: token})
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// `safely` answers a request. If a page panics, its request gets an error, and the server continues.
func safely(h http.Handler, w http.ResponseWriter, r *http.Request) (err error) {
	defer fault.Caught(&err)
	h.ServeHTTP(w, r)
	return nil
}

// watchGone ends the server after its repository was deleted.
func (s *Site) watchGone(ctx context.Context, end func()) {
	for ctx.Err() == nil {
		if _, err := os.Stat(s.repo.CommonDir); errors.Is(err, os.ErrNotExist) {
			end()
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(goneEvery):
		}
	}
}

// Opened is a running server.
type Opened struct {
	Base  string `json:"base"` // http://127.0.0.1:PORT
	Token string `json:"token"`
}

// URL returns the address that opens a page, with the token.
func (o Opened) URL(page string) string {
	sign := "?"
	if strings.Contains(page, "?") {
		sign = "&"
	}
	return o.Base + page + sign + "k=" + o.Token
}
