package view

import (
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

// `unheard` holds the commits whose owners come from a search: made with hooks switched off, fetched, or rewritten
// without hooks. A search reads the whole history. So its results are kept in <common>/traces/cache/found/unheard. The
// first line of that file names the logs and the tips for which it holds. If objects are missing, it also names the
// state of the object store, and the commits that could not be read. Then a line for each commit has the conversations,
// and the number of lines of each. The file has ids and numbers only, and may be deleted at any moment.
type unheard struct {
	lines map[refs.OID]map[events.TraceID]int
}

// FoundCache returns the directory of the results of searches.
func FoundCache(repo *refs.Repo) string { return unseen.Dir(repo) }

func unheardPath(repo *refs.Repo) string { return filepath.Join(unseen.Dir(repo), "unheard") }

// Progress is called with the number of searched commits, and of all commits.
type Progress func(done, total int)

// findUnheard reads the kept results, or searches. During a rebase the results may change, so they are not kept.
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
	key := hex.EncodeToString(sum[:])
	if raw, err := os.ReadFile(unheardPath(r.repo)); err == nil {
		head, rest, _ := strings.Cut(string(raw), "\n")
		if r.holds(head, key) && out.read(rest) {
			return out, nil
		}
	}
	searcher, state := r.Searcher(), r.repo.ObjectState()
	list, err := searcher.Unheard(ctx)
	if err != nil {
		return nil, err
	}
	done := 0
	for batch := range slices.Chunk(list, unseen.Batch) {
		r.progress(done, len(list))
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
	if searcher.Lacking() {
		key += " " + state + " " + idWords(r.repo.LeftOut.Commits())
	}
	if r.repo.HasTraces() && !searcher.Passing() && refs.MakeDirs(unseen.Dir(r.repo), 0o700) == nil {
		_ = refs.WriteFileAtomic(unheardPath(r.repo), append([]byte(key+"\n"), out.text()...), 0o600)
	}
	return out, nil
}

// `holds` reports whether kept results are valid, by the first line of their file. The line names the commits that the
// results lack.
func (r *Reader) holds(head, key string) bool {
	words := strings.Fields(head)
	if len(words) == 0 || words[0] != key || len(words) > 1 && words[1] != r.repo.ObjectState() {
		return false
	}
	for _, word := range words[min(2, len(words)):] {
		if commit, err := refs.ParseOID(word); err == nil {
			r.repo.LeftOut.Note(commit)
		}
	}
	return true
}

// idWords returns ids as words.
func idWords(list []refs.OID) string {
	words := make([]string, len(list))
	for i, id := range list {
		words[i] = id.String()
	}
	return strings.Join(words, " ")
}

// text returns the stored form: "commit conversation lines conversation lines …".
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

// read reads the stored form; false if it is not complete.
func (u *unheard) read(text string) bool {
	rest, whole := strings.CutSuffix(text, "end\n")
	for line := range strings.Lines(rest) {
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

// oneWord quotes an id. Another clone's log may give a conversation any name.
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
