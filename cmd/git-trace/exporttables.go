package main

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
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/version"
	"github.com/git-trace/git-trace/records/prices"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/serve/dataset"
	"github.com/git-trace/git-trace/serve/dataset/shards"
	"github.com/git-trace/git-trace/view/exchange"
	"github.com/git-trace/git-trace/view/facts"
	"github.com/git-trace/git-trace/view/lookup"
)

// Formats of tables.
const ()

// tableOptions are the options for tables alone.
var tableOptions = []string{"shard-size", "partition", "anonymise"}

// tableFlags returns the forms of these options.
func tableFlags() []optionUse {
	return []optionUse{opt("shard-size", "").or("256M"), opt("partition", ""), opt("anonymise", "")}
}

// tableMemory is the memory in bytes above which an export of tables collects garbage more often. The rest of 200 MB is
// for memory that Go does not count, and for the companion.
const tableMemory = 96 << 20

// exportTables writes the tables of the repository into a directory.
func (a *app) exportTables(c *call, format string, words []string) error {
	o, by, err := askTables(c, format, words)
	if err != nil {
		return err
	}
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return err
	}
	defer known.Close()
	from := dataset.Source{Repo: repo, Known: known.Reader, Force: c.Bool("force")}
	if from.Name, err = repositoryName(c.Context, repo); err != nil {
		return err
	}
	o.By, o.Name = by, from.Name
	if c.Bool("anonymise") {
		if from.Hide, err = anonymiser(); err != nil {
			return err
		}
		o.Name = from.Hide.Hash("name", o.Name)
	}
	o.Key = shortDigest(o.Name)
	state, err := tableState(c, repo, known, &o)
	if err != nil {
		return err
	}
	o.Source = sourceName(from.Hide, state)
	from.Lines = linesFrom(known)
	debug.SetMemoryLimit(tableMemory)
	return a.writeTables(c.Context, from, o)
}

// askTables reads the options and the directory from the call.
func askTables(c *call, format string, words []string) (o shards.Options, by []string, err error) {
	if len(words) != 1 {
		return o, nil, exit.Fail(exit.Misuse, fmt.Errorf("%s needs one directory for the tables", format),
			"git trace export --format "+format+" <directory>")
	}
	for _, name := range []string{"notes", "redact-auto", "words", "include-human"} {
		if c.IsSet(name) {
			return o, nil, exit.Usage("option '--%s' cannot be used with --format %s", name, format)
		}
	}
	for _, list := range c.StringSlice("partition") {
		for name := range strings.SplitSeq(list, ",") {
			if !slices.Contains(dataset.Partitions, name) {
				return o, nil, exit.NoSuch("partition", name, dataset.Partitions)
			}
			if slices.Contains(by, name) {
				return o, nil, exit.Usage("--partition names %s twice", name)
			}
			by = append(by, name)
		}
	}
	o = shards.Options{Dir: words[0], Ext: format}
	o.Size, err = shardSize(c.String("shard-size"))
	return o, by, err
}

// shardSize reads a number of bytes with the unit k, M or G, as git does.
func shardSize(text string) (int64, error) {
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

// repositoryName returns the name of a repository in tables, the same in all work trees: the host and path of its
// remote. Without a remote it is the name of the directory and the beginning of the oldest root commit's id, so two
// repositories with one name differ.
func repositoryName(ctx context.Context, repo *refs.Repo) (string, error) {
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

// sourceName returns a digest that names the state of the source. An anonymous data set gets a keyed hash: from an open
// hash, anybody who has the repository could find out that the rows come from it.
func sourceName(hide *dataset.Anonymiser, state string) string {
	if hide != nil {
		return shortDigest(hide.Hash("source", state))
	}
	return shortDigest(state)
}

// tableState describes everything that decides the rows: equal states give equal rows.
func tableState(c *call, repo *refs.Repo, known *lookup.Conversations, o *shards.Options) (string, error) {
	head, _, err := repo.Head()
	if err != nil {
		return "", err
	}
	tips, err := known.Prompts().Records.Tips(c.Context)
	if err != nil {
		return "", err
	}
	asOf := ""
	if table := prices.InUse(c.Context, repo); table != nil {
		asOf = table.AsOf
	}
	state, err := json.Marshal([]any{version.Number, o.Name, o.Ext, o.Size, o.By, c.Bool("force"), head,
		known.Log().State(), tips, asOf})
	if err != nil {
		return "", err
	}
	return string(state), nil
}

func shortDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// writeTables writes the missing tables, and the description of the data set.
func (a *app) writeTables(ctx context.Context, from dataset.Source, o shards.Options) error {
	if o.Ext == exchange.Parquet {
		pack, err := startPacker(ctx)
		if err != nil {
			return err
		}
		defer pack.close()
		o.Pack = pack.pack
	}
	set, err := shards.Begin(o)
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	defer func() { _ = set.Close() }()
	m, err := set.Written()
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	var out dataset.Written
	if m == nil || set.Went() {
		if out, err = dataset.Write(ctx, from, set); err != nil {
			return exit.Fail(exit.Unchecked, err, "finished files are kept: the same command continues")
		}
		if m, err = set.Finish(); err != nil {
			return exit.Fail(exit.Unchecked, err, "")
		}
	}
	if err := set.Columns(dataset.Tables()); err != nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	if err := dataset.Card(o.Dir, o.Ext, from.Hide != nil); err != nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	rows := int64(0)
	for _, f := range m.Files {
		rows += f.Rows
	}
	fmt.Fprintf(a.std.out, "%s: %s in %s, %d written now\n", cells.Message(o.Name), numbers.Count(int(rows), "row"),
		numbers.Count(len(m.Files), "file"), set.Made())
	if from.Known.Untraced() {
		a.hintNothing(from.Repo)
	}
	return leftOut(a, out)
}

// leftOut reports conversations whose steps were not written.
func leftOut(a *app, out dataset.Written) error {
	faults := make([]error, len(out.LeftOut))
	for i, trace := range out.LeftOut {
		faults[i] = blockedRecord(trace)
	}
	return a.allFaults(faults)
}

// blockedRecord is the error for a record that must not leave this clone.
func blockedRecord(trace events.TraceID) error {
	return exit.Fail(exit.Unchecked,
		fmt.Errorf("conversation %.8s is left out: much of its session file could not be read", trace),
		"look at it with git trace show; export --force includes it")
}

// packer sends files to the companion, which packs them.
type packer struct {
	one  sync.Mutex // tables finish files at the same time, but there is one pipe
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	says strings.Builder
}

func startPacker(ctx context.Context) (*packer, error) {
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

// pack makes the companion write a file.
func (p *packer) pack(columns []shards.Column, from, to string) error {
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
		p.close()
		return fmt.Errorf("git-trace-serve: %s", strings.TrimPrefix(strings.TrimSpace(p.says.String()), "git-trace: error: "))
	}
	says, err := strconv.Unquote(strings.TrimSpace(answer))
	if err == nil && says != "" {
		err = errors.New(says)
	}
	return err
}

func (p *packer) close() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}

// anonymiser uses this user's key, and makes it on first use. The key stays on this machine: with it, anybody could
// find out names by trial.
func anonymiser() (*dataset.Anonymiser, error) {
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
	return dataset.NewAnonymiser(key), nil
}
