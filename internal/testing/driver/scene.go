package driver

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
)

// scene is a turn with everything that a protocol needs to send it.
type scene struct {
	Turn
	script string
	index  int
	nonce  string
}

// id returns the id of the scene's n-th tool call.
func (s scene) id(prefix string, n int) string {
	if id := s.Tools[n].ID; id != "" {
		return id
	}
	return fmt.Sprintf("%s%s_t%d_%d_%s", prefix, s.script, s.index, n, s.nonce)
}

func (s scene) key() string { return s.script + "#" + strconv.Itoa(s.index) }

// `said` returns the text of the answer. An answer without tool calls must have a text.
func (s scene) said() string {
	if s.Text == "" && len(s.Tools) == 0 {
		return "done"
	}
	return s.Text
}

// input returns the input of a call as an object.
func (t Tool) input() any {
	if t.Input == nil {
		return map[string]any{}
	}
	return t.Input
}

// arguments returns the input of a call as JSON text.
func (t Tool) arguments() (string, error) {
	data, err := json.Marshal(t.input())
	if err != nil {
		return "", fmt.Errorf("arguments of %s: %w", t.Name, err)
	}
	return string(data), nil
}

var (
	hole   = regexp.MustCompile(`(?s)@\{re:(.*?)\}@`)
	digits = regexp.MustCompile(`^\d{1,15}$`)
)

func fillTool(tool Tool, history string) (Tool, error) {
	input, err := fill(tool.Input, history)
	if err != nil {
		return Tool{}, err
	}
	tool.Input = input
	if tool.Custom != nil {
		text, err := fillText(*tool.Custom, history)
		if err != nil {
			return Tool{}, err
		}
		tool.Custom = &text
	}
	return tool, nil
}

// fill replaces the holes "@{re:…}@" in all strings of a JSON value. If a string is only a hole, and digits replace it,
// the result is a number, as ids of processes are.
func fill(value any, history string) (any, error) {
	switch v := value.(type) {
	case string:
		if m := hole.FindStringSubmatch(v); m != nil && m[0] == v {
			found, err := lastMatch(m[1], history)
			if err == nil && digits.MatchString(found) {
				return strconv.Atoi(found)
			}
			return found, err
		}
		return fillText(v, history)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			var err error
			if out[i], err = fill(v[i], history); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			var err error
			if out[k], err = fill(v[k], history); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return value, nil
}

func fillText(text, history string) (string, error) {
	var failed error
	out := hole.ReplaceAllStringFunc(text, func(h string) string {
		found, err := lastMatch(hole.FindStringSubmatch(h)[1], history)
		if err != nil {
			failed = err
		}
		return found
	})
	return out, failed
}

func lastMatch(pattern, history string) (string, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "", err
	}
	all := re.FindAllStringSubmatch(history, -1)
	if len(all) == 0 || len(all[0]) < 2 {
		return "", fmt.Errorf("nothing in the history matches %q", pattern)
	}
	return all[len(all)-1][1], nil
}
