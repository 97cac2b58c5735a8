package driver

import (
	"encoding/json"
	"regexp"
	"strings"
)

// position is a request's place in the script. It depends only on the request, so retries, resumed sessions and side
// requests do not matter.
type position struct {
	Script string // "" if the request has no marker
	Turn   int    // number of the model's turns since the marker
	recent string // JSON of the last messages, which "@{re:…}@" searches
}

var (
	marker = regexp.MustCompile(`\[\[script:([A-Za-z0-9_-]+)\]\]`)

	// injected matches text that clients add to user messages.
	injected = regexp.MustCompile(`(?s)<task-notification>.*?</task-notification>|<system-reminder>.*?</system-reminder>`)
)

// lastMarker returns the name in the last marker of the user's text.
func lastMarker(text string) string {
	all := marker.FindAllStringSubmatch(injected.ReplaceAllString(text, ""), -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

// message has the members that the Messages and the Chat Completions protocol share.
type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// texts returns the text parts of a content, which is a string or a list of typed parts. It leaves out results of
// calls.
func texts(content json.RawMessage) []string {
	var whole string
	if json.Unmarshal(content, &whole) == nil {
		return []string{whole}
	}
	var parts []struct {
		Type      string `json:"type"`
		Text      string `json:"text"`
		Encrypted string `json:"encrypted_content"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return nil
	}
	var out []string
	for _, p := range parts {
		if p.Type == "tool_result" {
			continue
		}
		out = append(out, p.Text+p.Encrypted)
	}
	return out
}

// locateMessages finds the position from a list of messages with role and content.
func locateMessages(raw []json.RawMessage) position {
	pos := position{recent: recent(raw)}
	for _, item := range raw {
		var m message
		if json.Unmarshal(item, &m) != nil {
			continue
		}
		switch m.Role {
		case "user":
			for _, text := range texts(m.Content) {
				if name := lastMarker(text); name != "" {
					pos.Script, pos.Turn = name, 0
				}
			}
		case "assistant":
			pos.Turn++
		}
	}
	return pos
}

// recent joins the last six items of a history.
func recent(items []json.RawMessage) string {
	if len(items) > 6 {
		items = items[len(items)-6:]
	}
	var b strings.Builder
	for _, item := range items {
		b.Write(item)
		b.WriteByte('\n')
	}
	return b.String()
}
