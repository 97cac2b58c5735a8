package agents

import (
	"fmt"

	"github.com/git-trace/git-trace/agents/packed"
)

// headBytes is how much of a file is read to tell whose it is.
const headBytes = 256 << 10

// Identify tells which agent wrote a session file, by what stands in it; false for a file that is none. The name of the
// file is not trusted: people copy session files and give them names of their own. Of a packed file the agent reads
// what is packed.
func Identify(env Env, path string) (Agent, bool, error) {
	head, is, err := packed.Head(path, headBytes, env.Unzstd)
	if err != nil {
		return Agent{}, false, fmt.Errorf("identify session file: %w", err)
	}
	for _, agent := range All(env) {
		if agent.Identifier != nil && agent.Identifier.Recognises(path, head) {
			if is {
				agent = packed.Agent(agent, env.Unzstd)
			}
			return agent, true, nil
		}
	}
	return Agent{}, false, nil
}
