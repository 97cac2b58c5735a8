package view

import (
	"bytes"
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/blake3"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/correlate/unseen"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// unheard are the commits whose lines a search knows better than the anchors do: made with hooks switched off, fetched,
// rewritten while nobody listened. A search looks at the whole history, so what it found is kept in
// <common>/traces/cache/found/unheard. The first line of that file names the logs and the tips for which it holds. Then
// a line for each commit names the conversations and how many lines it holds of each. It has ids and numbers only, and
// may be deleted at any moment.
type unheard struct {
	lines map[refs.OID]map[events.TraceID]int
}

// FoundCache returns the directory of what searches found.
func FoundCache(repo *refs.Repo) string { return unseen.Dir(repo) }

func unheardPath(repo *refs.Repo) string { return filepath.Join(unseen.Dir(repo), "unheard") }

// Progress is told how many of how many commits are searched.
type Progress func(done, total int)

// searchBatch is the number of commits that are searched at once: git is asked a few things for each batch.
const searchBatch = 2000

// findUnheard reads what was kept, or searches. Where a rebase is under way, what is found may be another thing
// afterwards, and is not kept.
func (r *Reader) findUnheard(ctx context.Context) (*unheard, error) {
	out := &unheard{lines: map[refs.OID]map[events.TraceID]int{}}
	if r.log.Empty() {
		return out, nil
	}
	reach, err := r.tips(ctx)
	if err != nil {
		return nil, err
	}
	sum := blake3.Sum256([]byte(reach.key + "\n" + r.log.State()))
	key := hex.EncodeToString(sum[:]) + "\n"
	if raw, err := os.ReadFile(unheardPath(r.repo)); err == nil {
		if rest, same := bytes.CutPrefix(raw, []byte(key)); same && out.read(rest) {
			return out, nil
		}
	}
	searcher := unseen.New(r.repo, r.log)
	defer searcher.Close()
	list, err := searcher.Unheard(ctx)
	if err != nil {
		return nil, err
	}
	done := 0
	for batch := range slices.Chunk(list, searchBatch) {
		if r.progress != nil {
			r.progress(done, len(list))
		}
		known, err := belief.All(ctx, r.log, searcher, batch)
		if err != nil {
			return nil, err
		}
		for _, c := range known {
			if c.Found {
				out.lines[c.ID] = linesByTrace(c)
			} else if err := searcher.Settle(c); err != nil {
				return nil, err
			}
		}
		done += len(batch)
	}
	if r.repo.HasTraces() && !searcher.Passing() && refs.MakeDirs(unseen.Dir(r.repo), 0o700) == nil {
		_ = refs.WriteFileAtomic(unheardPath(r.repo), append([]byte(key), out.text()...), 0o600)
	}
	return out, nil
}

// text returns the kept form: "commit conversation lines conversation lines …".
func (u *unheard) text() []byte {
	lines := make([]string, 0, len(u.lines))
	for commit, held := range u.lines {
		line := commit.String()
		for trace, n := range held {
			line += " " + oneWord(string(trace)) + " " + strconv.Itoa(n)
		}
		lines = append(lines, line+"\n")
	}
	slices.Sort(lines)
	return []byte(strings.Join(lines, "") + "end\n")
}

// read reads it; false for one that is not whole.
func (u *unheard) read(raw []byte) bool {
	rest, whole := bytes.CutSuffix(raw, []byte("end\n"))
	for line := range strings.Lines(string(rest)) {
		fields := strings.Fields(line)
		commit, err := refs.ParseOID(fields[0])
		if err != nil || len(fields)%2 == 0 {
			return false
		}
		held := map[events.TraceID]int{}
		for i := 1; i < len(fields); i += 2 {
			trace, err := strconv.Unquote(fields[i])
			if err != nil {
				return false
			}
			if held[events.TraceID(trace)], err = strconv.Atoi(fields[i+1]); err != nil {
				return false
			}
		}
		u.lines[commit] = held
	}
	return whole
}

// oneWord quotes an id. Another clone's log may call a conversation anything.
func oneWord(id string) string { return strings.ReplaceAll(strconv.QuoteToASCII(id), " ", `\x20`) }

// linesByTrace returns the lines that a commit holds, by conversation.
func linesByTrace(c *belief.Commit) map[events.TraceID]int {
	lines := map[events.TraceID]int{}
	for i := range c.Files {
		for k := range c.Files[i].Runs {
			if r := &c.Files[i].Runs[k]; r.Owner.Trace != "" && !r.Elsewhere() {
				lines[r.Owner.Trace] += r.Count
			}
		}
	}
	return lines
}
