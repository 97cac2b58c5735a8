package assemble

import "strings"

// Model converts an agent's name for a model to the form of records, provider/model. For Claude, the providers Bedrock,
// Vertex and Copilot use different prefixes, suffixes and dots for the same model. A name with an unknown provider is
// returned unchanged. For a text that cannot be a name, Model returns "".
func Model(name string) string {
	name = strings.TrimSpace(name)
	if name == "" || strings.HasPrefix(name, "<") || strings.ContainsAny(name, " \t\n") || len(name) > 120 {
		return ""
	}
	if at := strings.Index(name, "claude"); at >= 0 {
		name, _, _ = strings.Cut(name[at:], "[")
		name, _, _ = strings.Cut(name, ":")
		name = strings.NewReplacer("@", "-", ".", "-").Replace(strings.TrimSuffix(strings.TrimSuffix(name, "-v1"), "-v2"))
		return "anthropic/" + name
	}
	if strings.Contains(name, "/") {
		return name
	}
	for _, known := range [...]struct{ prefix, provider string }{
		{"gpt-", "openai"}, {"codex-", "openai"}, {"chatgpt-", "openai"}, {"o1", "openai"}, {"o3", "openai"},
		{"o4", "openai"},
		{"gemini-", "google"}, {"glm-", "zai"}, {"kimi-", "moonshotai"}, {"qwen", "qwen"}, {"deepseek-", "deepseek"},
		{"grok-", "xai"},
	} {
		if strings.HasPrefix(name, known.prefix) {
			return known.provider + "/" + name
		}
	}
	return name
}
