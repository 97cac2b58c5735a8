package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/upkeep/keeping"
)

// origin is a way in which conversations become known.
type origin struct {
	name string
	tell func(c *tale)
}

// origins are the ways, in the order of a history.
var origins = []origin{
	{"backfilled", (*tale).backfilled},
	{"hooked", (*tale).hookedHere},
	{"fetched", (*tale).fetched},
	{"imported", (*tale).imported},
}

// tell makes the history of a seed. The first seeds have one origin each, the others two or more.
func tell(t testing.TB, seed int64) *tale {
	c := newTale(t, seed)
	chosen := []int{int(seed-1) % len(origins)}
	if seed > int64(len(origins)) {
		chosen = c.rng.Perm(len(origins))[:2+c.rng.Intn(len(origins)-1)]
		slices.Sort(chosen)
	}
	for _, i := range chosen {
		c.ran = append(c.ran, "# "+origins[i].name)
		origins[i].tell(c)
	}
	c.goesOn()
	if c.rng.Intn(2) == 0 {
		c.do("git-trace", "backfill", "--all", "--transcripts", c.folder) // of what hooks saw there is nothing to add
	}
	c.do("git-trace", "record") // brings records up to date with commits that were made since
	return c
}

// hookAgents are the agents whose hooks are played here, pastAgents those whose transcripts are.
var (
	hookAgents = []string{"claude-code", "codex-cli", "qwen-code"}
	pastAgents = []string{"claude-code", "pi", "codex-cli", "gemini-cli", "opencode", "copilot-cli", "qwen-code"}
)

// begin begins conversations of different agents.
func (c *tale) begin(agents []string, n int, hooked bool) []*talk {
	var out []*talk
	for i, k := range c.rng.Perm(len(agents))[:n] {
		t := c.talk(agents[k], hooked)
		if t.ask(); i > 0 {
			t.reads()
		}
		out = append(out, t)
	}
	return out
}

// backfilled are conversations from before git-trace was there, whose transcripts are read.
func (c *tale) backfilled() {
	talks := c.begin(pastAgents, 2+c.rng.Intn(2), false)
	c.history(talks, 3)
	for _, t := range talks {
		t.save()
	}
	if c.rng.Intn(2) == 0 {
		c.begin(pastAgents, 1, false)[0].save() // of which no commit holds anything: nobody knows it
	}
	c.record()
	c.do("git-trace", "backfill", "--all", "--transcripts", c.folder)
	held := c.heldBy(c.reachable())
	for _, t := range talks {
		if len(held[t.id]) > 0 {
			t.known, t.recorded = true, true
		}
	}
}

// record turns recording on, where it is off.
func (c *tale) record() {
	if _, err := os.Stat(filepath.Join(c.dir, ".git", "traces")); err != nil {
		c.do("git-trace", "init")
	}
}

// hookedHere are conversations that hooks see.
func (c *tale) hookedHere() {
	c.record()
	talks := c.watched()
	c.settle(talks)
}

// goesOn lets a conversation that hooks saw here go on. What it writes now stays uncommitted.
func (c *tale) goesOn() {
	for _, t := range c.talks {
		if t.root != c.dir || !t.seen || len(t.files) == 0 {
			continue
		}
		c.live = true
		t.listen("resume")
		t.ask()
		t.writes("")
		t.writes("late/")
		t.leaves()
		c.settle([]*talk{t})
		return
	}
}

// watched lets conversations that hooks see make a history.
func (c *tale) watched() []*talk {
	c.live = true
	early := c.early()
	talks := slices.Concat(early, c.begin(hookAgents, 2+c.rng.Intn(2), true))
	for _, t := range early {
		t.listen("resume")
		t.ask()
	}
	idle := c.begin(hookAgents, 1, true)[0] // changes nothing
	c.history(talks, 3)
	talks = append(talks, idle)
	for _, t := range talks {
		t.leaves()
	}
	return talks
}

// early is, now and then, a conversation that begins before hooks see it. Its lines are those of a person, as nobody
// heard of it.
func (c *tale) early() []*talk {
	if c.rng.Intn(3) > 0 {
		return nil
	}
	talks := c.begin(hookAgents, 1, false)
	talks[0].reads()
	return talks
}

// settle stores the records of what was said.
func (c *tale) settle(talks []*talk) {
	time.Sleep(keeping.SettleTime)
	c.do("git-trace", "record")
	for _, t := range talks {
		t.known, t.recorded = true, true
	}
}

// fetched are conversations of another clone, whose log and records are fetched with the commits.
func (c *tale) fetched() {
	home := c.at
	there := c.clone("there")
	c.record()
	c.do("git", "switch", "-q", "-c", "theirs")
	mute := c.rng.Intn(3) == 0 // nothing that is said is stored
	if mute {
		c.do("git", "config", "trace.records", "false")
	}
	talks := c.watched()
	c.settle(talks)
	c.live = false
	var file string
	if mute {
		for _, t := range talks {
			t.recorded = false
		}
	} else if c.rng.Intn(2) == 0 { // the records come in a file too
		file = filepath.Join(there.folder, "records.jsonl")
		c.must(os.WriteFile(file, []byte(c.do("git-trace", "export", "--format", "opentraces")), 0o644))
	}
	writer := strings.TrimSpace(c.read(filepath.Join(there.dir, ".git", "traces", "writer")))
	c.goTo(home)
	c.clock = time.Now().UTC()
	place := "refs/traces/remotes/origin/" + writer
	c.do("git", "fetch", "-q", there.dir, "theirs:theirs")
	testenv.FetchLog(c.t, home.dir, there.dir, "origin")
	if !mute {
		c.do("git", "fetch", "-q", there.dir, "refs/traces/records:"+place+"/records")
	}
	if file != "" {
		c.do("git-trace", "import", "--from", "opentraces", file)
	}
	c.take("theirs")
}

// imported are conversations of another clone, of which files come with the commits: records, and who wrote the lines.
func (c *tale) imported() {
	home := c.at
	there := c.clone("away")
	c.record()
	c.do("git", "switch", "-q", "-c", "away")
	talks := c.watched()
	c.settle(talks)
	c.live = false
	format, alone := []string{"agent-trace", "git-ai"}[c.rng.Intn(2)], c.rng.Intn(3) == 0
	held := c.heldBy(c.reachable())
	records := filepath.Join(there.folder, "records.jsonl")
	lines := filepath.Join(there.folder, "lines.jsonl")
	c.must(os.WriteFile(records, []byte(c.withoutEnds(c.do("git-trace", "export", "--format", "opentraces"))), 0o644))
	c.must(os.WriteFile(lines, []byte(c.do("git-trace", "export", "--format", format, "HEAD")), 0o644))
	c.goTo(home)
	c.clock = time.Now().UTC()
	c.do("git", "fetch", "-q", there.dir, "away:away")
	if !alone { // where it is, nothing but who wrote the lines is known
		c.do("git-trace", "import", "--from", "opentraces", records)
	}
	c.do("git-trace", "import", "--from", format, lines)
	c.take("away")
	for _, t := range talks {
		t.seen, t.began, t.ended = false, [2]time.Time{t.spoke[0], t.spoke[0]}, [2]time.Time{t.spoke[1], t.spoke[1]}
		if alone {
			t.recorded, t.known = false, len(held[t.id]) > 0
		}
	}
}

// withoutEnds takes the end times out of some records.
func (c *tale) withoutEnds(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		var record map[string]json.RawMessage
		c.must(json.Unmarshal([]byte(line), &record))
		if c.rng.Intn(3) == 0 {
			record["timestamp_end"] = json.RawMessage("null")
			delete(record, "content_hash")
			for _, t := range c.talks {
				t.endless = t.endless || string(record["trace_id"]) == strconv.Quote(t.trace())
			}
		}
		out.Write(mustJSON(record))
		out.WriteByte('\n')
	}
	return out.String()
}

// take joins a branch that was fetched to the own one, in one of several ways.
func (c *tale) take(branch string) {
	switch c.rng.Intn(3) {
	case 0:
		c.do("git", "merge", "-q", "--no-ff", "-m", "take "+branch, branch)
	case 1:
		c.do("git", "merge", "-q", "--ff", branch)
	}
}

func (c *tale) read(name string) string {
	raw, err := os.ReadFile(name)
	c.must(err)
	return string(raw)
}
