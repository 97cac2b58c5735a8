package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Statement is the signed text: event Seq of the writer's log has the id Event.
type Statement struct {
	Event  events.ID
	Seq    int64
	Writer string // 16 hex digits
}

// Kind is the way a signature was made, git's gpg.format; empty if there is none.
type Kind string

// The kinds that git knows.
const (
	OpenPGP Kind = "openpgp"
	SSH     Kind = "ssh"
	X509    Kind = "x509"
)

// maxCommit is the largest size in bytes of a commit that is read. X.509 signatures with their certificates take some
// ten thousand.
const maxCommit = 256 << 10

var errNoCheckpoint = errors.New("it is not a checkpoint")

// message returns the statement as a commit message. Its second part is canonical JSON.
func (s Statement) message() string {
	return fmt.Sprintf("traces: checkpoint at %d\n\n{\"event\":%q,\"seq\":%d,\"v\":1,\"writer\":%q}\n", s.Seq, s.Event,
		s.Seq, s.Writer)
}

var messageForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\Atraces: checkpoint at [1-9]\d{0,15}\n\n` +
		`\{"event":"(b3:[0-9a-f]{64})","seq":([1-9]\d{0,15}),"v":1,"writer":"([0-9a-f]{16})"\}\n\z`)
})

// parseMessage accepts only the output of message.
func parseMessage(text string) (Statement, error) {
	m := messageForm().FindStringSubmatch(text)
	if m == nil {
		return Statement{}, errNoCheckpoint
	}
	seq, err := strconv.ParseInt(m[2], 10, 64)
	s := Statement{Event: events.ID(m[1]), Seq: seq, Writer: m[3]}
	if err != nil || seq > events.MaxInt || s.message() != text {
		return Statement{}, errNoCheckpoint
	}
	return s, nil
}

// `signed` holds a stored checkpoint with an unchecked signature.
type signed struct {
	Statement
	kind   Kind
	parent refs.OID // the previous checkpoint; zero for the first one
}

// parse reads the content of a checkpoint commit. It returns the parent even with an error, if it is readable.
func parse(format refs.ObjectFormat, raw []byte) (signed, error) {
	c, err := refs.DecodeCommit(raw)
	if err != nil {
		return signed{}, fmt.Errorf("%w: %w", errNoCheckpoint, err)
	}
	s := signed{kind: kindOf(raw)}
	if len(c.Parents) > 0 {
		s.parent = c.Parents[0]
	}
	if len(c.Parents) > 1 || c.Tree != format.EmptyTree() {
		return s, errNoCheckpoint
	}
	s.Statement, err = parseMessage(c.Message)
	return s, err
}

// kindOf returns the kind of a commit's signature, from its first line.
func kindOf(raw []byte) Kind {
	header, _, _ := bytes.Cut(raw, []byte("\n\n"))
	for line := range strings.Lines(string(header)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if name != "gpgsig" && name != "gpgsig-sha256" {
			continue
		}
		switch value {
		case "-----BEGIN SSH SIGNATURE-----":
			return SSH
		case "-----BEGIN PGP SIGNATURE-----", "-----BEGIN PGP MESSAGE-----":
			return OpenPGP
		case "-----BEGIN SIGNED MESSAGE-----":
			return X509
		}
	}
	return ""
}
