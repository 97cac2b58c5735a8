package assemble

import "strings"

// Model returns a model's name in the form of records, provider/model, from an agent's name for it. The providers of
// Claude through Bedrock, Vertex and Copilot write the same model with different prefixes, suffixes and dots. It does
// not change a name with an unknown provider.
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
