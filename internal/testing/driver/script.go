package driver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Script is a set of named conversations. The last marker "[[script:NAME]]" in the user's text selects the one that a
// request plays. So the prompts of subagents and of resumed sessions select their own.
type Script struct {
	Scripts map[string][]Turn `json:"scripts"`
}

// Turn is one answer of the model, with side effects.
type Turn struct {
	Text     string `json:"text,omitempty"`     // text before the tool calls
	Thinking string `json:"thinking,omitempty"` // reasoning before the text
	Tools    []Tool `json:"tools,omitempty"`    // several tools are parallel calls in one message

	// Sh runs in the repository just before the model answers, as a person who edits between two tool calls. It runs once,
	// even if the turn is requested again.
	Sh       string `json:"sh,omitempty"`
	WaitFile string `json:"wait_file,omitempty"` // wait until this file exists, at most three minutes, then answer
	DelayMS  int    `json:"delay_ms,omitempty"`

	Error      *Fault `json:"error,omitempty"`      // answer with an API error; the retry gets the next turn
	Disconnect bool   `json:"disconnect,omitempty"` // close the connection in the middle of the stream
	Repeat     bool   `json:"repeat,omitempty"`     // Error and Disconnect also apply to retries

	StopReason string         `json:"stop_reason,omitempty"`
	Usage      map[string]any `json:"usage,omitempty"`
	BlockGapMS int            `json:"block_gap_ms,omitempty"` // pause between content blocks
}

// Tool is one tool call of a [Turn]. In its strings, "@{re:REGEXP}@" is replaced by group 1 of the last match in the
// request's recent history. So a script can use an id that the client made.
type Tool struct {
	Name      string  `json:"name"`
	Input     any     `json:"input,omitempty"`
	Custom    *string `json:"custom,omitempty"`    // input of an OpenAI custom tool, as free text
	Namespace string  `json:"namespace,omitempty"` // OpenAI tool namespace
	Shell     any     `json:"local_shell,omitempty"`
	ID        string  `json:"id,omitempty"` // replaces the readable id
}

// Fault is an API error: an HTTP status and, if given, its JSON body.
type Fault struct {
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body,omitempty"`
}

// Main returns a script with a single conversation, which the default prompt selects.
func Main(turns ...Turn) Script {
	return Script{Scripts: map[string][]Turn{"main": turns}}
}

// ParseScript parses the JSON form of a script. An unknown key is an error.
func ParseScript(data []byte) (Script, error) {
	var s Script
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return Script{}, fmt.Errorf("parse script: %w", err)
	}
	if len(s.Scripts) == 0 {
		return Script{}, fmt.Errorf("parse script: no scripts in it")
	}
	return s, nil
}

// ReadScript reads a script of testdata/agent-scripts in the module of the working directory.
func ReadScript(name string) (Script, error) {
	root, err := moduleRoot()
	if err != nil {
		return Script{}, fmt.Errorf("read script %s: %w", name, err)
	}
	data, err := os.ReadFile(filepath.Join(root, "testdata", "agent-scripts", name+".json"))
	if err != nil {
		return Script{}, fmt.Errorf("read script: %w", err)
	}
	s, err := ParseScript(data)
	if err != nil {
		return Script{}, fmt.Errorf("read script %s: %w", name, err)
	}
	return s, nil
}

func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod at or above the working directory")
		}
		dir = up
	}
}

// expand replaces ${NAME} by vars[NAME] in every string of the script. It works on the JSON form, with each value
// escaped as part of a JSON string.
func (s Script) expand(vars map[string]string) (Script, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return Script{}, fmt.Errorf("expand script: %w", err)
	}
	pairs := make([]string, 0, 2*len(vars))
	for name, value := range vars {
		quoted, err := json.Marshal(value)
		if err != nil {
			return Script{}, fmt.Errorf("expand script: %w", err)
		}
		pairs = append(pairs, "${"+name+"}", string(quoted[1:len(quoted)-1]))
	}
	return ParseScript([]byte(strings.NewReplacer(pairs...).Replace(string(data))))
}
