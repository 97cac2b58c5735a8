package driver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const waitFileLimit = 3 * time.Minute

// stage holds the state of a script: errors that were sent, and shell commands that ran.
type stage struct {
	script Script
	seed   string   // makes the tool ids of runs differ
	dir    string   // directory in which Turn.Sh runs
	env    []string // environment of Turn.Sh

	mu       sync.Mutex
	spent    map[string]int  // number of errors sent once, by script
	edited   map[string]bool // "name#turn" whose Sh has run
	asked    map[string]int  // number of requests for each "name#turn"
	problems []string
}

func newStage(script Script, seed, dir string, env []string) *stage {
	return &stage{
		script: script, seed: seed, dir: dir, env: env,
		spent: map[string]int{}, edited: map[string]bool{}, asked: map[string]int{},
	}
}

// play selects the turn for a position, does everything that must happen before the answer, and replaces the holes with
// values of the history.
func (st *stage) play(ctx context.Context, pos position) (scene, error) {
	sc := st.pick(pos)
	if sc.Sh != "" {
		st.edit(ctx, sc)
	}
	if sc.WaitFile != "" {
		if err := waitFile(ctx, sc.WaitFile, waitFileLimit); err != nil {
			st.problem("%s turn %d: %v", sc.script, sc.index, err)
		}
	}
	if err := pause(ctx, sc.DelayMS); err != nil {
		return scene{}, err
	}
	tools := make([]Tool, len(sc.Tools))
	for i, tool := range sc.Tools {
		var err error
		if tools[i], err = fillTool(tool, pos.recent); err != nil {
			return scene{}, fmt.Errorf("%s turn %d: %w", sc.script, sc.index, err)
		}
	}
	sc.Tools = tools
	return sc, nil
}

func (st *stage) pick(pos position) scene {
	st.mu.Lock()
	defer st.mu.Unlock()
	turns, known := st.script.Scripts[pos.Script]
	if !known {
		if pos.Script != "" {
			st.problems = append(st.problems, fmt.Sprintf("no script named %s", pos.Script))
		}
		return scene{Turn: Turn{Text: "ok"}}
	}
	sc := scene{Turn: Turn{Text: "done"}, script: pos.Script, index: pos.Turn + st.spent[pos.Script]}
	if sc.index < len(turns) {
		sc.Turn = turns[sc.index]
	}
	if (sc.Error != nil || sc.Disconnect) && !sc.Repeat {
		st.spent[pos.Script]++
	}
	key := sc.key()
	st.asked[key]++
	sum := sha256.Sum256([]byte(st.seed + "\x00" + key + "\x00" + strconv.Itoa(st.asked[key])))
	sc.nonce = hex.EncodeToString(sum[:6])
	return sc
}

// edit runs Turn.Sh when its turn is played for the first time.
func (st *stage) edit(ctx context.Context, sc scene) {
	st.mu.Lock()
	done := st.edited[sc.key()]
	st.edited[sc.key()] = true
	st.mu.Unlock()
	if done {
		return
	}
	// If the client gives up the request, Turn.Sh must still finish.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "/bin/sh", "-c", sc.Sh)
	cmd.Dir, cmd.Env = st.dir, st.env
	cmd.WaitDelay = time.Second // a background command may hold the pipes open
	if out, err := cmd.CombinedOutput(); err != nil {
		st.problem("%s turn %d: sh: %v: %s", sc.script, sc.index, err, out)
	}
}

func (st *stage) unplayed() []string {
	st.mu.Lock()
	defer st.mu.Unlock()
	begun := map[string]bool{}
	for key := range st.asked {
		name, _, _ := strings.Cut(key, "#")
		begun[name] = true
	}
	var out []string
	for name := range begun {
		for i := range st.script.Scripts[name] {
			if key := name + "#" + strconv.Itoa(i); st.asked[key] == 0 {
				out = append(out, key)
			}
		}
	}
	slices.Sort(out)
	return out
}

func (st *stage) problem(format string, args ...any) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.problems = append(st.problems, fmt.Sprintf(format, args...))
}

func waitFile(ctx context.Context, path string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", path, ctx.Err())
		case <-tick.C:
		}
	}
}

func pause(ctx context.Context, ms int) error {
	if ms <= 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(ms) * time.Millisecond):
		return nil
	}
}
