package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// Options are how a site is served.
type Options struct {
	Address string        // of the loopback device, with a port; 0 takes one that is free
	Idle    time.Duration // without a request, after which the server ends; 0 for never
	Path    string        // the page that is opened
}

// ErrNotLoopback refuses an address that other machines could reach.
var ErrNotLoopback = errors.New("only this machine may look: the address is not of the loopback device")

// Bounds of a connection.
const (
	headerTime = 5 * time.Second
	readTime   = 10 * time.Second
	restTime   = time.Minute
	endTime    = 2 * time.Second
)

// Serve answers until ctx ends or nobody has asked for as long as the options say. It tells ready the address that
// opens the page, which has the token of this start.
func (s *Site) Serve(ctx context.Context, o Options, ready func(url string)) error {
	host, _, err := net.SplitHostPort(o.Address)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
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
	guarded := newGuard(s.Handler(), listener.Addr().String(), token)
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Store(time.Now().UnixNano())
			guarded.ServeHTTP(w, r)
		}),
		ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: mostTime + headerTime, IdleTimeout: restTime,
		MaxHeaderBytes: mostHeader, BaseContext: func(net.Listener) context.Context { return ctx },
	}
	if o.Idle > 0 {
		go func() {
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
		}()
	}
	go func() {
		<-ctx.Done()
		ending, stop := context.WithTimeout(context.Background(), endTime)
		defer stop()
		if server.Shutdown(ending) != nil {
			_ = server.Close()
		}
	}()
	ready("http://" + listener.Addr().String() + withToken(o.Path, token))
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// withToken is an address that carries the token.
func withToken(page, token string) string {
	sign := "?"
	if strings.Contains(page, "?") {
		sign = "&"
	}
	return page + sign + "k=" + token
}
