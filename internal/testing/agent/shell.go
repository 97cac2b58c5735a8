package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// shell is a child of the agent, as long as a command is under way.
type shell struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// run has the shell of the command under way do something more.
func (p *player) run(command string) error {
	if p.shell == nil {
		s := &shell{cmd: exec.Command("sh")}
		s.cmd.Dir = p.dir
		in, err := s.cmd.StdinPipe()
		if err != nil {
			return err
		}
		out, err := s.cmd.StdoutPipe()
		if err != nil {
			return err
		}
		s.in, s.out = in, bufio.NewReader(out)
		if err := s.cmd.Start(); err != nil {
			return err
		}
		p.shell = s
	}
	if _, err := fmt.Fprintf(p.shell.in, "(\n%s\n) </dev/null >/dev/null 2>&1; echo $?\n", command); err != nil {
		return err
	}
	status, err := p.shell.out.ReadString('\n')
	if status = strings.TrimSpace(status); err == nil && status != "0" {
		return fmt.Errorf("status %s", status)
	}
	return err
}

// endShell ends the shell when the command has done its work.
func (p *player) endShell() {
	if p.shell == nil {
		return
	}
	_ = p.shell.in.Close()
	_ = p.shell.cmd.Wait()
	p.shell = nil
}
