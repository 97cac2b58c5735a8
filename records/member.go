package records

import (
	"encoding/json"
	"strings"
)

// Member is a member of a call's input in readable form.
type Member struct{ Name, Text string }

// Members returns the members of an input in order: strings without quotes, all other values as JSON.
func Members(input json.RawMessage) []Member {
	var out []Member
	decoder := json.NewDecoder(strings.NewReader(string(input)))
	if _, err := decoder.Token(); err != nil {
		return nil
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return out
		}
		var raw json.RawMessage
		if decoder.Decode(&raw) != nil {
			return out
		}
		key, _ := name.(string)
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		out = append(out, Member{key, text})
	}
	return out
}
