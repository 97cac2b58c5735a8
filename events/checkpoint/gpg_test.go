package checkpoint

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// keyring makes the directory of a keyring. A socket of gpg-agent will lie in it, and the path of a socket must be
// short.
func (w *world) keyring() string {
	w.t.Helper()
	dir, err := os.MkdirTemp("", "gpg")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		kill := exec.Command("gpgconf", "--kill", "all")
		kill.Env = append(os.Environ(), "GNUPGHOME="+dir)
		_ = kill.Run() // the agent of this keyring
		_ = os.RemoveAll(dir)
	})
	return dir
}

// useGPG gives the repository a keyring of its own, through a program that git runs as gpg. The clock of the keyring
// can be set (gpg(1), --faked-system-time).
func (w *world) useGPG(keyring, clock string) string {
	w.t.Helper()
	testenv.Needs(w.t, "gpg")
	dir := w.keyring()
	if clock != "" {
		clock = "--faked-system-time " + clock
	}
	program := filepath.Join(w.keys, keyring)
	text := fmt.Sprintf("#!/bin/sh\nGNUPGHOME=%s exec gpg --batch --no-tty --pinentry-mode loopback --passphrase '' %s \"$@\"\n", dir, clock)
	testenv.Program(w.t, program, text)
	w.git("config", "gpg.format", "openpgp")
	w.git("config", "gpg.program", program)
	return program
}

func TestAnOpenPGPKeyOfTheUsersOwnIsTrusted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	program := w.useGPG("own", "")
	w.run(program, "-q", "--quick-gen-key", "Ada <ada@example.com>", "ed25519", "sign", "never")
	w.git("config", "user.signingKey", "ada@example.com")
	if c := w.sign(""); c.Signature.Verdict != Good || c.Signature.Kind != OpenPGP {
		t.Errorf("signed %+v", c)
	}
	r := w.expect("signed", "consistent and anchored up to 4", "")
	if !strings.HasPrefix(r.AnchoredBy, "checkpoint signed by Ada <ada@example.com> (") {
		t.Errorf("anchored by %q", r.AnchoredBy)
	}
	other := filepath.Join(w.keys, "public")
	w.run(program, "--output", other, "--export", "ada@example.com")

	program = w.useGPG("without the key", "")
	w.expect("the key is not here", "consistent", "the signature could not be checked: the key is not in the keyring")

	w.run(program, "-q", "--import", other)
	w.expect("the key is here, of nobody known", "consistent", "by a key that is not trusted here: ")
	w.git("config", "gpg.minTrustLevel", "undefined")
	w.expect("the user takes every key of the keyring", "consistent and anchored up to 4", "")
	w.git("config", "gpg.minTrustLevel", "fully")
	w.expect("the user does not", "consistent", "by a key that is not trusted here: ")

	w.git("config", "gpg.program", "/nonexistent")
	w.expect("there is no gpg", "consistent", "the signature could not be checked")
}

func TestAnExpiredOpenPGPKeyAnchorsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	program := w.useGPG("old", "20200101T000000!")
	w.run(program, "-q", "--quick-gen-key", "Ada <ada@example.com>", "ed25519", "sign", "1y")
	w.git("config", "user.signingKey", "ada@example.com")
	w.sign("")
	w.expect("in the year of the key", "consistent and anchored up to 4", "")
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	testenv.Program(t, program, strings.Replace(string(text), "20200101T", "20240101T", 1))
	w.expect("years later", "consistent", "the signature or its key has expired")
}

func TestAnX509CertificateCountsWhenItsRootIsTrusted(t *testing.T) {
	t.Parallel()
	testenv.Needs(t, "gpgsm")
	w := newWorld(t)
	dir := w.keyring()
	w.file(filepath.Join(dir, "gpg-agent.conf"), "allow-loopback-pinentry\n", 0o600)
	maker := filepath.Join(w.keys, "maker")
	testenv.Program(t, maker, "#!/bin/sh\nGNUPGHOME="+dir+" exec gpgsm --batch --disable-crl-checks --disable-dirmngr --pinentry-mode loopback --passphrase '' \"$@\"\n")
	w.file(filepath.Join(w.keys, "params"), "Key-Type: RSA\nKey-Length: 2048\nKey-Usage: sign\nSerial: random\nName-DN: CN=Ada\nName-Email: ada@example.com\n", 0o600)
	w.run(maker, "--quiet", "--generate-key", "--output", filepath.Join(w.keys, "certificate"), filepath.Join(w.keys, "params"))
	w.run(maker, "--quiet", "--import", filepath.Join(w.keys, "certificate"))
	w.git("config", "gpg.format", "x509")
	w.git("config", "gpg.x509.program", maker)
	w.git("config", "user.signingKey", "ada@example.com")
	w.trustRoot(dir, maker)
	if c := w.sign(""); c.Signature.Verdict != Good || c.Signature.Kind != X509 {
		t.Errorf("signed %+v", c)
	}
	w.expect("signed", "consistent and anchored up to 4", "")
	w.file(filepath.Join(dir, "trustlist.txt"), "", 0o600)
	w.run("gpgconf", "--homedir", dir, "--kill", "all")
	w.expect("the root is not trusted any more", "consistent", "anchors nothing")
}

func (w *world) file(name, text string, mode os.FileMode) {
	w.t.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
}

// trustRoot calls the only certificate of a keyring a root that is trusted.
func (w *world) trustRoot(dir, program string) {
	w.t.Helper()
	for line := range strings.Lines(w.run(program, "--list-keys", "--with-colons")) {
		if fields := strings.Split(line, ":"); fields[0] == "fpr" {
			w.file(filepath.Join(dir, "trustlist.txt"), fields[9]+" S relax\n", 0o600)
			return
		}
	}
	w.t.Fatal("no certificate")
}
