package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/process"
)

const (
	// EarlierHook is the hook name of the process that counts the prompts of a conversation that began earlier. It gets a
	// boundary as JSON, and prints the number. Thus a hook need not link the readers of session files.
	EarlierHook = "earlier"
	// mostEarlier is the size of a session file, in bytes, and longEarlier the time, up to which a hook waits for the
	// number. Beyond them the prompts are numbered from 1.
	mostEarlier = 16 << 20
	longEarlier = time.Second
)

// earlierPrompts returns the number of prompts in a session file before the first prompt that hooks count. The
// parameter `b` is the first boundary of its conversation.
func earlierPrompts(b events.Boundary) int {
	info, err := os.Stat(b.Transcript)
	if err != nil || info.Size() == 0 || info.Size() > mostEarlier {
		return 0
	}
	program, found := Program()
	raw, err := json.Marshal(b)
	if !found || err != nil {
		return 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), longEarlier)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "git-hook", EarlierHook)
	cmd.Stdin, cmd.Env = bytes.NewReader(raw), process.Marked(withoutGit(os.Environ()))
	out, err := cmd.Output()
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		return 0
	}
	return n
}
