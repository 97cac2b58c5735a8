package dataset

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/serve/dataset/shards"
	"github.com/git-trace/git-trace/view/exchange"
	"github.com/git-trace/git-trace/view/facts"
)

// ShardSize reads a number of bytes with the unit k, M or G, as git does.
func ShardSize(text string) (int64, error) {
	digits, unit := text, int64(1)
	if at := strings.IndexAny(text, "kKmMgG"); at == len(text)-1 && at > 0 {
		digits = text[:at]
		unit = map[byte]int64{'k': 1 << 10, 'm': 1 << 20, 'g': 1 << 30}[text[at]|0x20]
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/unit {
		return 0, exit.Fail(exit.Misuse, fmt.Errorf("option '--shard-size': '%s' is not a size", text),
			"a size is 500000, 64M or 1G")
	}
	return n * unit, nil
}

// RepositoryName returns the name of a repository in tables, the same in all work trees: the host and path of its
// remote. Without a remote it is the name of the directory and the beginning of the oldest root commit's id, so two
// repositories with one name differ.
func RepositoryName(ctx context.Context, repo *refs.Repo) (string, error) {
	places := facts.NewBirthplaces(repo)
	if address := places.Remote(ctx, nil); address != nil {
		return strings.TrimPrefix(*address, "https://"), nil
	}
	name := filepath.Base(repo.CommonDir)
	if name == ".git" {
		name = filepath.Base(filepath.Dir(repo.CommonDir))
	}
	head, _, err := repo.Head()
	if err != nil || head.IsZero() {
		return name, err
	}
	roots, err := repo.Git(ctx, nil, "rev-list", "--max-parents=0", "--reverse", "HEAD", "--")
	if err != nil {
		return "", err
	}
	root, _, _ := strings.Cut(string(roots), "\n")
	return fmt.Sprintf("%s-%.8s", name, root), nil
}

// SourceName returns a digest that names the state of the source. An anonymous data set gets a keyed hash: from an open
// hash, anybody who has the repository could find out that the rows come from it.
func SourceName(hide *Anonymiser, state string) string {
	if hide != nil {
		return ShortDigest(hide.Hash("source", state))
	}
	return ShortDigest(state)
}

func ShortDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// packer sends files to the companion, which packs them.
type packer struct {
	one  sync.Mutex // tables finish files at the same time, but there is one pipe
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	says strings.Builder
}

func StartPacker(ctx context.Context) (*packer, error) {
	cmd, err := companion.Command(ctx, exchange.Parquet)
	if err != nil {
		return nil, err
	}
	p := &packer{cmd: cmd}
	cmd.Stderr = &p.says
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, cmd.Start()
}

// Pack makes the companion write a file.
func (p *packer) Pack(columns []shards.Column, from, to string) error {
	p.one.Lock()
	defer p.one.Unlock()
	asked, err := json.Marshal(map[string]any{"columns": columns, "from": from, "to": to})
	if err == nil {
		_, err = p.in.Write(append(asked, '\n'))
	}
	var answer string
	if err == nil {
		answer, err = p.out.ReadString('\n')
	}
	if err != nil {
		p.Close()
		return fmt.Errorf("git-trace-serve: %s", strings.TrimPrefix(strings.TrimSpace(p.says.String()), "git-trace: error: "))
	}
	says, err := strconv.Unquote(strings.TrimSpace(answer))
	if err == nil && says != "" {
		err = errors.New(says)
	}
	return err
}

func (p *packer) Close() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}

// OwnAnonymiser uses this user's key, and makes it on first use. The key stays on this machine: with it, anybody could
// find out names by trial.
func OwnAnonymiser() (*Anonymiser, error) {
	state, err := recorded.StateDir()
	if err != nil {
		return nil, exit.Fail(exit.Unchecked, err, "the key for --anonymise is kept there: set HOME or XDG_STATE_HOME")
	}
	path := filepath.Join(state, "anonymise-key")
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		key := make([]byte, sha256.Size)
		if _, err := rand.Read(key); err != nil {
			return nil, err
		}
		raw = []byte(hex.EncodeToString(key) + "\n")
		err = refs.WriteFileAtomic(path, raw, 0o600)
		if err != nil {
			return nil, exit.Fail(exit.Unchecked, err, "")
		}
		if raw, err = os.ReadFile(path); err != nil { // if two processes made a key, the last one counts
			return nil, exit.Fail(exit.Unchecked, err, "")
		}
	} else if err != nil {
		return nil, exit.Fail(exit.Unchecked, refs.PathCause(err), "")
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(raw)))
	if err != nil || len(key) != sha256.Size {
		return nil, exit.Fail(exit.Unchecked, fmt.Errorf("%s holds no key", path), "")
	}
	return NewAnonymiser(key), nil
}
