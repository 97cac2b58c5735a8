package snapshot

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// quietConfig restricts a git command on a private index. Git does not make a shared index or a cache of untracked
// files, does not start a file-system monitor, and does not run the user's post-index-change hook. It reads every file,
// and does not fail because of line endings.
var quietConfig = []string{
	"-c", "core.splitIndex=false", "-c", "core.untrackedCache=false",
	"-c", "index.sparse=false", "-c", "core.ignoreStat=false", "-c", "core.hooksPath=/dev/null",
	"-c", "core.safecrlf=false", "-c", "advice.addEmbeddedRepo=false",
}

// side runs a git command on a private index and lets it write objects into the side store. If git fails, it returns
// *refs.GitError with git's whole message.
func (e *Engine) side(ctx context.Context, index string, stdin io.Reader, args ...string) (stdout, stderr []byte,
	err error) {
	if err := refs.MakeDirs(e.repo.SideObjects(), 0o777); err != nil { // without this directory git finds no repository
		return nil, nil, err
	}
	if err := e.behind.wait(); err != nil {
		return nil, nil, err
	}
	cmd := e.repo.Command(ctx, append(append([]string{}, quietConfig...), args...)...)
	cmd.Env = append(append(cmd.Env, e.repo.SideEnv()...), "GIT_INDEX_FILE="+index)
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &said
	err = cmd.Run()
	if err == nil {
		return out.Bytes(), said.Bytes(), nil
	}
	if ctx.Err() != nil {
		return nil, nil, fmt.Errorf("git %s: %w", args[0], ctx.Err())
	}
	if cmd.ProcessState == nil || cmd.ProcessState.Success() {
		return nil, nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out.Bytes(), said.Bytes(), &refs.GitError{Verb: args[0], Code: cmd.ProcessState.ExitCode(),
		Stderr: fatalLine(said.String())}
}

// fatalLine returns the error line of git's message. Warnings may come before it.
func fatalLine(said string) string {
	for line := range strings.Lines(said) {
		if text, ok := strings.CutPrefix(line, "fatal: "); ok {
			return strings.TrimSpace(text)
		}
	}
	line, _, _ := strings.Cut(said, "\n")
	return strings.TrimPrefix(line, "error: ")
}

// diffTrees compares two trees. The stores must have them.
func (e *Engine) diffTrees(ctx context.Context, from, to refs.OID) ([]Change, error) {
	out, _, err := e.side(ctx, e.scratchPath(), nil, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev",
		"--ignore-submodules=none", from.String(), to.String())
	if err != nil {
		return nil, err
	}
	return ParseRawDiff(string(out))
}

// ParseRawDiff reads raw records of git-diff-tree(1) with -z and without renames.
func ParseRawDiff(out string) ([]Change, error) {
	records, err := gitdiff.Records([]byte(out))
	if err != nil {
		return nil, err
	}
	changes := make([]Change, len(records))
	for i, r := range records {
		changes[i] = Change{Path: r.Path, OldMode: r.OldMode, NewMode: r.NewMode, Old: r.Old, New: r.New}
	}
	return changes, nil
}

// culprit finds, in git's message, the path at which git failed: a required filter failed, or the path cannot be
// encoded or read. The message depends on the error and on git's version, so every quoted part of it is checked.
func culprit(stderr []byte, known func(path string) bool) (path, filter string, ok bool) {
	for _, text := range between(string(stderr), "fatal: ", "\n") {
		if path, name, ok := strings.Cut(text, ": clean filter '"); ok && known(path) {
			return path, strings.TrimSuffix(name, "' failed"), true
		}
		if path, ok := strings.CutPrefix(text, "Unable to process path "); ok && known(path) {
			return path, "", true
		}
		for i := strings.IndexByte(text, '\''); i >= 0 && i < len(text); i++ {
			for j := len(text) - 1; text[i] == '\'' && j > i; j-- {
				if text[j] == '\'' && known(text[i+1:j]) {
					return text[i+1 : j], "", true
				}
			}
		}
	}
	return "", "", false
}

// `between` returns, for each line that starts with `begin`, the text from there to the last mark.
func between(text, begin, mark string) []string {
	var list []string
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, begin)
		if at := strings.LastIndex(rest, mark); ok && at >= 0 {
			list = append(list, rest[:at])
		}
	}
	return list
}
