package driver

import (
	"encoding/json"
	"regexp"
	"strings"
)

// position is a request's place in the script. It is read from the request alone, so retries, resumed sessions and side
// requests do no harm.
type position struct {
	Script string // "" when the request carries no marker
	Turn   int    // assistant turns since the marker
	recent string // JSON of the last messages, where "@{re:…}@" looks
}

var (
	marker = regexp.MustCompile(`\[\[script:([A-Za-z0-9_-]+)\]\]`)

	// injected is text that clients put into user messages by themselves.
	injected = regexp.MustCompile(`(?s)<task-notification>.*?</task-notification>|<system-reminder>.*?</system-reminder>`)
)

// lastMarker returns the name in the last marker of a text that the user wrote.
func lastMarker(text string) string {
	all := marker.FindAllStringSubmatch(injected.ReplaceAllString(text, ""), -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

// message is the part that the Messages and the Chat Completions protocol have in common.
type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// texts returns the text parts of a content, which is a string or a list of typed parts.
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

// locateMessages finds the position in a list of role and content messages.
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
