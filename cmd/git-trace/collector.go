package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/records/otel"
)

// sending is a document for a collector of spans. The companion sends it, only with --endpoint.
type sending struct {
	to         string
	in         io.WriteCloser
	cmd        *exec.Cmd
	told, says bytes.Buffer
}

// sendingTo begins to send to the collector that --endpoint names, nil without one.
func sendingTo(c *call) (*sending, error) {
	if !c.IsSet("endpoint") {
		return nil, nil
	}
	at, err := url.Parse(c.String("endpoint"))
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fail(exitUsage, errors.New("option '--endpoint' takes an address that begins with http:// or https://"),
			"a collector on this machine listens on http://localhost:4318")
	}
	return startSending(c.Context, at)
}

func startSending(ctx context.Context, at *url.URL) (*sending, error) {
	cmd, err := companion(ctx, otel.Name, at.String())
	if err != nil {
		return nil, err
	}
	s := &sending{to: at.Redacted(), cmd: cmd}
	cmd.Stdout, cmd.Stderr = &s.told, &s.says
	if s.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return s, cmd.Start()
}

// done ends the sending and prints the number of accepted spans.
func (s *sending) done(a *app, exported error) error {
	_ = s.in.Close()
	failed := s.cmd.Wait()
	n, _ := strconv.Atoi(strings.TrimSpace(s.told.String()))
	fmt.Fprintf(a.std.out, "%s sent to %s\n", plural(n, "conversation"), printable(s.to))
	if failed != nil {
		return fail(exitUnchecked, errors.New(strings.TrimPrefix(strings.TrimSpace(s.says.String()), "git-trace: error: ")),
			"the same command sends the same spans again")
	}
	return exported
}
