package terminal

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

// isTrue reports whether a value is true. The value may be a boolean or a command.
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

// startPager starts a pager on the terminal. If that fails, it returns nil: git, too, then writes without a pager.
func startPager(command string, terminal *os.File, errors io.Writer) *pager {
	cmd := exec.Command(command)
	if strings.ContainsAny(command, "|&;<>()$`\\\"' \t\n*?[#~=%") { // like git, use the shell only if needed
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
	// While the pager runs, the interrupt key belongs to it. The writer only stops writing.
	signal.Notify(p.ints, os.Interrupt)
	fault.Go(func() {
		<-p.ints
		_ = p.Close()
		os.Exit(ExitInterrupted)
	})
	return p
}

// ExitInterrupted is the exit status of an interrupted command in a shell.
const ExitInterrupted = 130

// pagerDefaults returns git's default environment for pagers, without variables that the user has set.
func pagerDefaults() []string {
	var out []string
	for name, value := range map[string]string{"LESS": "FRX", "LV": "-c"} {
		if _, set := os.LookupEnv(name); !set {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// Write sends text to the pager. If the user has closed the pager, the command ends without a message.
func (p *pager) Write(text []byte) (int, error) { return Quietly(p.pipe).Write(text) }

// Close ends the output and waits until the pager ends. It ignores the pager's exit status.
func (p *pager) Close() error {
	p.done.Do(func() {
		_ = p.pipe.Close()
		_ = p.cmd.Wait()
		signal.Stop(p.ints)
	})
	return nil
}
