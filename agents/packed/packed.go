package packed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/transcript"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/packed"
)

// Identify returns the agent that wrote a session file, like agents.Identify. For a compressed file, it reads the
// decompressed content.
func Identify(env agents.Env, path string) (agents.Agent, bool, error) {
	head, is, err := headOf(path, env.Unzstd)
	if err != nil {
		return agents.Agent{}, false, fmt.Errorf("identify session file: %w", err)
	}
	if !is {
		return agents.Identify(env, path)
	}
	agent, found := agents.Recognise(env, path, head)
	return Agent(agent, env.Unzstd), found, nil
}

// headOf returns the first decompressed bytes of a session file. The second result reports whether the file is
// compressed.
func headOf(path string, unzstd packed.Unzstd) (head []byte, is bool, err error) {
	file, err := transcript.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = file.Close() }()
	if !isPacked(file) {
		return nil, false, nil
	}
	in, err := packed.Reader(file.From(0), unzstd)
	if err != nil {
		return nil, true, err
	}
	defer func() { _ = in.Close() }()
	head, err = io.ReadAll(io.LimitReader(in, agents.HeadBytes))
	return head, true, err
}

func isPacked(file *transcript.Tail) bool {
	head := make([]byte, 4)
	n, _ := io.ReadFull(file.From(0), head) // a shorter file is not compressed
	return packed.Is(head[:n])
}

// Beside returns the path of a session file, or of its compressed form; "" if both are missing.
func Beside(path string) string {
	for _, end := range append([]string{""}, packed.Endings...) {
		if info, err := os.Stat(path + end); err == nil && !info.IsDir() {
			return path + end
		}
	}
	return ""
}

// Agent returns the agent with capabilities that also read compressed files.
func Agent(agent capability.Agent, unzstd packed.Unzstd) capability.Agent {
	if agent.Parser != nil {
		agent.Parser = parser{agent.Parser, unzstd}
	}
	if in, ok := agent.Discoverer.(capability.SessionLister); ok {
		agent.Discoverer = discoverer{agent.Discoverer, in, unzstd}
	}
	return agent
}

type parser struct {
	capability.SessionParser
	unzstd packed.Unzstd
}

// Parse reads a session file. A compressed file is read from its beginning.
func (p parser) Parse(ctx context.Context, path string, options capability.ParseOptions,
	sink records.Sink) (parsed *capability.Parsed, err error) {
	err = unpacked(path, p.unzstd, func(plain string) error {
		if plain != path {
			options.Cursor = nil
		}
		parsed, err = p.SessionParser.Parse(ctx, plain, options, sink)
		if parsed != nil && plain != path {
			parsed.Cursor = nil
		}
		return err
	})
	return parsed, err
}

type discoverer struct {
	capability.SessionDiscoverer
	in     capability.SessionLister
	unzstd packed.Unzstd
}

func (d discoverer) SessionsIn(path string) (found []capability.Session, err error) {
	err = unpacked(path, d.unzstd, func(plain string) error {
		found, err = d.in.SessionsIn(plain)
		for i := range found {
			found[i].Path = path
		}
		return err
	})
	return found, err
}

// `unpacked` calls the function `read` with the path of a file or, if it is compressed, of its decompressed copy.
func unpacked(path string, unzstd packed.Unzstd, read func(path string) error) error {
	file, err := transcript.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if !isPacked(file) {
		return read(path)
	}
	dir, err := os.MkdirTemp("", "git-trace-unpacked-*")
	if err != nil {
		return fmt.Errorf("unpack session file: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	plain := filepath.Join(dir, packed.Name(filepath.Base(path)))
	if err := unpack(file, plain, unzstd); err != nil {
		return fmt.Errorf("unpack session file: %w", err)
	}
	return read(plain)
}

func unpack(file *transcript.Tail, to string, unzstd packed.Unzstd) error {
	in, err := packed.Reader(file.From(0), unzstd)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = io.Copy(out, in)
		err = errors.Join(err, out.Close())
	}
	return errors.Join(err, in.Close())
}
