package agents

import (
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/agents/transcript"
)

// HeadBytes is the number of bytes of a file from which its agent is identified.
const HeadBytes = 256 << 10

// Identify returns the agent that wrote a session file, from the file's content; false if it is not a session file. The
// file's name is ignored, because people copy and rename session files.
func Identify(env Env, path string) (Agent, bool, error) {
	file, err := transcript.Open(path)
	if err != nil {
		return Agent{}, false, fmt.Errorf("identify session file: %w", err)
	}
	defer func() { _ = file.Close() }()
	head, err := io.ReadAll(io.LimitReader(file.From(0), HeadBytes))
	if err != nil && !errors.Is(err, io.EOF) {
		return Agent{}, false, fmt.Errorf("identify session file: %w", err)
	}
	agent, found := Recognise(env, path, head)
	return agent, found, nil
}

// Recognise identifies a session file by its first bytes, as Identify does for a whole file.
func Recognise(env Env, path string, head []byte) (Agent, bool) {
	for _, agent := range All(env) {
		if agent.Identifier != nil && agent.Identifier.Recognises(path, head) {
			return agent, true
		}
	}
	return Agent{}, false
}
