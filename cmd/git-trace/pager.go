package main

import (
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
)

// pagerCommand returns the pager that git would start (core.pager and pager.<cmd> in git-config(1)), or "" for none.
func pagerCommand(config refs.Config) string {
	command := "less"
	if value, set := os.LookupEnv("PAGER"); set {
		command = value
	}
	if value, set := config.Get("core.pager"); set {
		command = value
	}
	if value, set := os.LookupEnv("GIT_PAGER"); set {
		command = value
	} else if value, set := config.Get("pager.trace"); set {
		switch {
		case isTrue(value):
		case config.Bool("pager.trace", true):
			command = value
		default:
			return ""
		}
	}
	if command == "cat" {
		return ""
	}
	return command
}

// isTrue reports whether a value, which may be a command or a boolean, is true.
func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// pager is a running pager and the pipe to it.
type pager struct {
	pipe io.WriteCloser
	cmd  *exec.Cmd
	done sync.Once
	ints chan os.Signal
}

// startPager starts a pager on the terminal; nil when it cannot be started, as git then writes without one.
func startPager(command string, terminal *os.File, errors io.Writer) *pager {
	cmd := exec.Command(command)
	if strings.ContainsAny(command, "|&;<>()$`\\\"' \t\n*?[#~=%") { // as git: the shell only where it is needed
		cmd = exec.Command("sh", "-c", command)
	}
	cmd.Stdout, cmd.Stderr = terminal, errors
	cmd.Env = append(os.Environ(), pagerDefaults()...)
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil
	}
	if err := cmd.Start(); err != nil {
		return nil
	}
	p := &pager{pipe: pipe, cmd: cmd, ints: make(chan os.Signal, 1)}
	// While the pager shows something, the interrupt key belongs to it; the writer only stops writing.
	signal.Notify(p.ints, os.Interrupt)
	fault.Go(func() {
		<-p.ints
		_ = p.Close()
		os.Exit(exitInterrupted)
	})
	return p
}

// exitInterrupted is the exit status of an interrupted command in a shell.
const exitInterrupted = 130

// pagerDefaults returns git's own settings for pagers, unless the user has set them.
func pagerDefaults() []string {
	var out []string
	for name, value := range map[string]string{"LESS": "FRX", "LV": "-c"} {
		if _, set := os.LookupEnv(name); !set {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// Write passes text to the pager. If the user left the pager, the command ends silently.
func (p *pager) Write(text []byte) (int, error) { return quietWriter{p.pipe}.Write(text) }

// Close ends the output and waits until the pager ends. The pager's exit status does not count.
func (p *pager) Close() error {
	p.done.Do(func() {
		_ = p.pipe.Close()
		_ = p.cmd.Wait()
		signal.Stop(p.ints)
	})
	return nil
}
