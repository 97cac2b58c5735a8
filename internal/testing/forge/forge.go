// Package forge serves test repositories like a forge: with git's HTTP back end, and with a real SSH server.
package forge

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
)

// ErrMissing means that a program which the tests need is not installed.
var ErrMissing = errors.New("not installed")

// HTTP returns a server for the repositories below a directory. It accepts pushes if http.receivepack is true there.
func HTTP(root string) (http.Handler, error) {
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		return nil, fmt.Errorf("git --exec-path: %w", err)
	}
	programs := strings.TrimSpace(string(out))
	for _, name := range []string{"git-http-backend", "git-remote-http"} { // some builds of git do not have them
		if _, err := os.Stat(filepath.Join(programs, name)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, ErrMissing)
		}
	}
	return &cgi.Handler{Path: filepath.Join(programs, "git-http-backend"),
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1"}}, nil
}

// SSH writes keys into a directory. It returns the command for GIT_SSH_COMMAND that connects to this machine, and the
// part of a URL before the path. Each connection starts a server on ssh's standard streams, so no port is opened.
func SSH(dir string) (command, address string, err error) {
	var server string // sshd must be started by its absolute path
	for _, name := range []string{"ssh", "ssh-keygen", "sshd"} {
		if server, err = exec.LookPath(name); err != nil {
			return "", "", fmt.Errorf("%s: %w", name, ErrMissing)
		}
	}
	me, err := user.Current()
	if err != nil {
		return "", "", err
	}
	if me.Uid == "0" { // Debian's service makes this directory at its start
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			return "", "", fmt.Errorf("%w: %w", ErrMissing, err)
		}
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, key := range []string{"host", "user"} {
		out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file(key)).CombinedOutput()
		if err != nil {
			return "", "", fmt.Errorf("ssh-keygen: %w: %s", err, out)
		}
	}
	config := fmt.Sprintf("HostKey %s\nAuthorizedKeysFile %s\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"+
		"PidFile none\nSetEnv PATH=%s\n", file("host"), file("user.pub"), os.Getenv("PATH"))
	if err := os.WriteFile(file("config"), []byte(config), 0o600); err != nil {
		return "", "", err
	}
	command = fmt.Sprintf("ssh -F none -i %s -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=no "+
		"-o UserKnownHostsFile=%s -o LogLevel=ERROR -o \"ProxyCommand=%s -i -f %s\"",
		file("user"), file("known"), server, file("config"))
	return command, "ssh://" + me.Username + "@localhost", nil
}
