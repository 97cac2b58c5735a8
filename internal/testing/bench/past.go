package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// The history for backfill: conversations that exist only in session files, and the commits with their lines. Two of
// three edits belong to a conversation.
const (
	pastFiles  = 120
	pastLines  = 200 // lines of each file
	pastEdits  = 3   // edits of each commit
	pastLonger = 56  // an edit writes 4 lines, and fewer than this many more
)

// makePast makes a history with a number of commits, and session files for a number of conversations.
func (b *bench) makePast(dir, sessions string, commits, conversations int) error {
	if err := errors.Join(os.RemoveAll(sessions), os.MkdirAll(sessions, 0o777)); err != nil {
		return err
	}
	p := pastWriter{historyWriter: historyWriter{rng: rand.New(rand.NewPCG(7, uint64(commits)))}, dir: dir,
		sessions: sessions}
	err := b.fastImport(dir, func(w *bufio.Writer) {
		p.w = w
		p.root()
		for n := 1; n < commits; n++ {
			p.session = n * conversations / commits
			if n%mergeEvery == 0 {
				p.merge(n)
			} else {
				p.commit(n)
			}
		}
	})
	return errors.Join(err, p.err, p.save())
}

// pastWriter writes a history, and the session files of its conversations.
type pastWriter struct {
	historyWriter
	dir, sessions string
	files         [][]string
	session       int
	open          int      // number of the conversation in transcript
	transcript    []string // lines of its session file
	calls         int
	err           error
}

func (p *pastWriter) lines(n int) []string {
	var out []string
	for i := range n {
		out = append(out, strings.TrimSuffix(sourceLine(p.rng, 1+i%2), "\n"))
	}
	return out
}

func (p *pastWriter) root() {
	p.head("main", 0, 0)
	for n := range pastFiles {
		p.files = append(p.files, p.lines(pastLines))
		p.put(n)
	}
}

func (p *pastWriter) put(n int) {
	fmt.Fprintf(p.w, "M 100644 inline %s\n", fileName(n))
	data(p.w, strings.Join(p.files[n], "\n")+"\n")
}

// commit writes a commit with edits of a conversation, and one edit of a person.
func (p *pastWriter) commit(n int) {
	p.head("main", n, n)
	var changed []int
	for i := range pastEdits {
		file := p.rng.IntN(pastFiles)
		at, removed := p.rng.IntN(len(p.files[file])-20), p.rng.IntN(9)
		old, fresh := p.files[file][at:at+removed+1], p.lines(4+p.rng.IntN(pastLonger))
		if i > 0 {
			p.edit(n, i, fileName(file), old, fresh)
		}
		p.files[file] = slices.Replace(slices.Clone(p.files[file]), at, at+removed+1, fresh...)
		changed = append(changed, file)
	}
	slices.Sort(changed)
	for _, file := range slices.Compact(changed) {
		p.put(file)
	}
}

// edit adds a tool call of the conversation between two commits.
func (p *pastWriter) edit(n, i int, path string, old, fresh []string) {
	if p.session != p.open {
		p.err = errors.Join(p.err, p.save())
		p.open = p.session
	}
	p.calls++
	at := time.Unix(1_500_000_000+int64(n-1)*3600+int64(i)*600, 0)
	if len(p.transcript) == 0 {
		p.entry("user", at, map[string]any{"role": "user", "content": "Make it faster."}, nil)
	}
	input := map[string]any{"file_path": filepath.Join(p.dir, filepath.FromSlash(path)),
		"old_string": strings.Join(old, "\n"), "new_string": strings.Join(fresh, "\n")}
	id := fmt.Sprintf("toolu_%d", p.calls)
	p.entry("assistant", at, map[string]any{
		"id": "msg_" + id, "type": "message", "role": "assistant", "model": benchModel, "stop_reason": "tool_use",
		"content": []any{map[string]any{"type": "tool_use", "id": id, "name": "Edit", "input": input}},
		"usage":   map[string]any{"input_tokens": 900, "output_tokens": 300},
	}, nil)
	p.entry("user", at.Add(time.Second), map[string]any{"role": "user",
		"content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": "done"}},
	}, map[string]any{"filePath": input["file_path"], "oldString": input["old_string"], "newString": input["new_string"],
		"originalFile": nil, "replaceAll": false, "structuredPatch": []any{}})
}

// name returns the session id.
func (p *pastWriter) name() string { return fmt.Sprintf("7a0e1c52-9f3b-4d68-8e21-%012d", p.open) }

// entry adds a line to a session file in the form of Claude Code.
func (p *pastWriter) entry(kind string, at time.Time, message, result any) {
	line := map[string]any{
		"type": kind, "uuid": fmt.Sprintf("%s-%d", p.name(), len(p.transcript)), "parentUuid": nil, "sessionId": p.name(),
		"cwd": p.dir, "version": "2.1.150", "timestamp": at.UTC().Format("2006-01-02T15:04:05.000Z"), "message": message,
	}
	if len(p.transcript) > 0 {
		line["parentUuid"] = fmt.Sprintf("%s-%d", p.name(), len(p.transcript)-1)
	}
	if result != nil {
		line["toolUseResult"] = result
	}
	raw, err := json.Marshal(line)
	p.err = errors.Join(p.err, err)
	p.transcript = append(p.transcript, string(raw))
}

// save writes a finished session file.
func (p *pastWriter) save() error {
	if len(p.transcript) == 0 {
		return nil
	}
	text := strings.Join(p.transcript, "\n") + "\n"
	p.transcript = nil
	return os.WriteFile(filepath.Join(p.sessions, p.name()+".jsonl"), []byte(text), 0o666)
}

// makeUnanchored makes the history of makePast after the start of a log, but without hooks. No commit is reported, and
// each may have lines that the log knows.
func (b *bench) makeUnanchored(dir string, commits, conversations int) error {
	if err := b.check(b.git(dir, "init", "-q")); err != nil {
		return err
	}
	a, err := b.startAgent(dir)
	if err != nil {
		return err
	}
	call := a.shell()
	err = errors.Join(b.check(call.before), writeFile(dir, fileName(0), "func generated() error { return errEarlier }\n"),
		b.check(call.after))
	if err != nil {
		return err
	}
	hooks := filepath.Join(dir, ".git", "hooks")
	return errors.Join(os.RemoveAll(hooks), b.makePast(dir, dir+".sessions", commits, conversations),
		b.check(b.git(dir, "gc", "-q")))
}

// The limits for counting, compared with git-log(1) with --numstat over the same history. Without a log there is
// nothing to read or count.
const (
	numstat      = "git log --numstat"
	countBound   = 1.5
	countAgain   = 0.5
	nothingBound = 0.1
	// For a few hundred commits, the start of the program takes most of the time.
	countFew      = 2.8
	countAgainFew = 0.6
	nothingFew    = 0.15
)

// counting measures counting the lines of a history that no hook saw, and of one without a log.
func counting(commits, conversations int) scenario {
	s := scenario{name: fmt.Sprintf("counting, %s commits", size(commits))}
	lists := []struct {
		name string
		args []string
	}{
		{"stats", []string{"stats"}},
		{"export git-ai", []string{"export", "--format", "git-ai"}},
		{"export agent-trace", []string{"export", "--format", "agent-trace"}},
		{"reconcile", []string{"reconcile", "--dry-run"}},
	}
	bound, again, nothing := countBound, countAgain, nothingBound
	if commits < 1000 {
		bound, again, nothing = countFew, countAgainFew, nothingFew
	}
	for _, list := range lists {
		s.rows = append(s.rows, row{list.name + ", answers not kept", list.name, numstat, work, bound})
	}
	s.rows = append(s.rows, row{"reconcile, no commit has an anchor, answers not kept", "unanchored", numstat, work,
		bound}, row{"stats again", "stats again", numstat, work, again})
	for _, list := range lists {
		s.rows = append(s.rows, row{list.name + ", no log", list.name + ", no log", numstat, work, nothing})
	}
	s.prepare = func(b *bench) (func(int, *recorder) error, error) {
		name := fmt.Sprintf("past-%s-%d", size(commits), conversations)
		bare, err := b.place(name+"-bare", func(dir string) error {
			return errors.Join(b.makePast(dir, dir+".sessions", commits, conversations), b.check(b.git(dir, "gc", "-q")))
		})
		if err != nil {
			return nil, err
		}
		dir, err := b.place(name, func(dir string) error {
			sessions := dir + ".sessions"
			return errors.Join(b.makePast(dir, sessions, commits, conversations),
				b.check(b.trace(dir, "backfill", "--transcripts", sessions)), b.check(b.git(dir, "gc", "-q")))
		})
		if err != nil {
			return nil, err
		}
		if err := b.check(b.trace(dir, "stats")); err != nil { // builds the index of the log, which is not to be measured
			return nil, err
		}
		repo, err := refs.Discover(dir)
		if err != nil {
			return nil, err
		}
		found := filepath.Join(repo.TracesDir(), "cache", "found")
		unanchored, err := b.place(name+"-unanchored", func(dir string) error {
			return b.makeUnanchored(dir, commits, conversations)
		})
		if err != nil {
			return nil, err
		}
		if err := b.check(b.trace(unanchored, "reconcile", "--dry-run")); err != nil {
			return nil, err
		}
		return func(i int, r *recorder) error {
			err := inTurn(i,
				func() error { return r.run(numstat, b.git(dir, "log", "--numstat")) },
				func() error {
					for _, list := range lists {
						if err := errors.Join(os.RemoveAll(found), r.run(list.name, b.trace(dir, list.args...))); err != nil {
							return err
						}
					}
					kept := filepath.Join(unanchored, ".git", "traces", "cache", "found")
					return errors.Join(os.RemoveAll(kept),
						r.run("unanchored", b.trace(unanchored, "reconcile", "--dry-run")))
				},
			)
			if err != nil {
				return err
			}
			if err := errors.Join(b.check(b.trace(dir, "stats")), r.run("stats again", b.trace(dir, "stats"))); err != nil {
				return err
			}
			for _, list := range lists {
				if err := r.run(list.name+", no log", b.trace(bare, list.args...)); err != nil {
					return err
				}
			}
			return nil
		}, nil
	}
	return s
}
