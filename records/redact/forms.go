package redact

import "strings"

// form describes the tokens of a service for which gitleaks has no rule: a prefix and a number of characters.
type form struct {
	rule, begin string
	letter      func(byte) bool
	least, most int // characters after the prefix
}

// anyLength is the upper limit for tokens of unlimited length.
const anyLength = 4 << 10

func wordByte(c byte) bool    { return nameLetter(c) || c == '_' || c == '-' }
func capitalByte(c byte) bool { return upper(c) || digit(c) }
func dottedByte(c byte) bool  { return wordByte(c) || c == '.' }
func keyByte(c byte) bool     { return tokenByte(c) }
func smallHex(c byte) bool    { return digit(c) || 'a' <= c && c <= 'f' }
func uuidByte(c byte) bool    { return smallHex(c) || c == '-' }

// forms returns the token forms that gitleaks' rules lack, by their first letter.
func forms() (byFirst [256][]form) {
	for _, f := range [...]form{
		{"new-relic-key", "NRAK-", capitalByte, 27, 27},
		{"new-relic-key", "NRAA-", smallHex, 27, 27},
		{"new-relic-key", "NRII-", wordByte, 32, 32},
		{"new-relic-key", "NRIQ-", wordByte, 32, 32},
		{"new-relic-key", "NRRA-", smallHex, 42, 42},
		{"nuget-api-key", "oy2", nameLetter, 43, 43},
		{"telegram-bot-token", ":AA", wordByte, 31, 36}, // after the bot's number
		{"supabase-token", "sbp_", smallHex, 40, 40},
		{"supabase-token", "sb_secret_", wordByte, 20, 80},
		{"1password-service-account-token", "ops_eyJ", keyByte, 40, anyLength},
		{"anthropic-oauth-token", "sk-ant-oat", wordByte, 40, 200},
		{"anthropic-oauth-token", "sk-ant-ort", wordByte, 40, 200},
		{"anthropic-session-key", "sk-ant-sid", wordByte, 40, 200},
		{"anthropic-api-key", "sk-ant-", wordByte, 40, 200},
		{"openai-api-key", "sk-proj-", wordByte, 36, 200},
		{"openai-api-key", "sk-svcacct-", wordByte, 36, 200},
		{"openai-session", "sess-", nameLetter, 40, 40},
		{"openrouter-api-key", "sk-or-v1-", smallHex, 64, 64},
		{"langfuse-secret-key", "sk-lf-", uuidByte, 36, 36},
		{"secret-key", "sk-", nameLetter, 32, 64},
		{"groq-api-key", "gsk_", nameLetter, 40, 60},
		{"xai-api-key", "xai-", nameLetter, 60, 90},
		{"cerebras-api-key", "csk-", nameLetter, 40, 60},
		{"replicate-api-token", "r8_", nameLetter, 37, 40},
		{"tavily-api-key", "tvly-", wordByte, 28, 60},
		{"langsmith-api-key", "lsv2_pt_", wordByte, 32, 60},
		{"langsmith-api-key", "lsv2_sk_", wordByte, 32, 60},
		{"posthog-personal-key", "phx_", nameLetter, 40, 60},
		{"docker-token", "dckr_pat_", wordByte, 27, 27},
		{"docker-token", "dckr_oat_", wordByte, 27, 40},
		{"figma-token", "figd_", wordByte, 36, 60},
		{"stripe-access-token", "sk_live_", nameLetter, 20, 120},
		{"stripe-access-token", "rk_live_", nameLetter, 20, 120},
		{"stripe-access-token", "sk_test_", nameLetter, 20, 120},
		{"stripe-webhook-secret", "whsec_", keyByte, 24, 100},
		{"google-oauth-token", "ya29.", dottedByte, 40, 2000},
		{"google-client-secret", "GOCSPX-", wordByte, 28, 28},
		{"tailscale-key", "tskey-", wordByte, 24, 80},
		{"nvidia-api-key", "nvapi-", wordByte, 60, 70},
		{"netlify-token", "nfp_", nameLetter, 36, 40},
		{"render-api-key", "rnd_", nameLetter, 24, 40},
		{"mailgun-key", "key-", smallHex, 32, 32},
		{"hubspot-token", "pat-na1-", uuidByte, 36, 36},
		{"hubspot-token", "pat-eu1-", uuidByte, 36, 36},
		{"notion-token", "secret_", nameLetter, 43, 43},
		{"mapbox-secret-token", "sk.eyJ", dottedByte, 60, 200},
		{"slack-session-token", "xoxc-", wordByte, 40, 200},
		{"slack-session-cookie", "xoxd-", func(c byte) bool { return keyByte(c) || c == '%' }, 40, 400},
		{"square-secret", "sq0csp-", wordByte, 43, 43},
		{"bitbucket-app-password", "ATBB", nameLetter, 32, 32},
		{"atlassian-token", "ATATT3x", keyByte, 100, 300},
		{"atlassian-token", "ATCTT3x", keyByte, 100, 300},
		{"doppler-token", "dp.st.", dottedByte, 40, 80},
		{"doppler-token", "dp.sa.", nameLetter, 40, 50},
		{"doppler-token", "dp.ct.", nameLetter, 40, 50},
		{"jina-api-key", "jina_", wordByte, 40, 80},
		{"firecrawl-api-key", "fc-", smallHex, 32, 32},
		{"e2b-api-key", "e2b_", smallHex, 40, 40},
		{"voyage-api-key", "pa-", wordByte, 43, 43},
		{"fireworks-api-key", "fw_", nameLetter, 22, 30},
		{"context7-api-key", "ctx7sk-", uuidByte, 36, 36},
		{"cursor-api-key", "crsr_", smallHex, 64, 64},
		{"cursor-api-key", "key_", smallHex, 64, 64},
		{"gitlab-token", "glptt-", smallHex, 40, 40},
		{"github-token", "github_pat_", wordByte, 40, 255},
		{"github-token", "ghs_", wordByte, 36, 255},
		{"linear-oauth-token", "lin_oauth_", smallHex, 64, 64},
		{"contentful-token", "CFPAT-", wordByte, 43, 43},
		{"buildkite-token", "bkua_", smallHex, 40, 40},
		{"circleci-token", "CCIPAT_", wordByte, 40, 80},
	} {
		byFirst[f.begin[0]] = append(byFirst[f.begin[0]], f)
	}
	return byFirst
}

// `known` finds tokens in one of the forms.
func (r *Redactor) known(s *marks) []span {
	var found []span
	text, from := s.text, 0
	for _, at := range s.at[atForm] {
		i := int(at)
		if i < from {
			continue
		}
		for _, f := range r.forms[text[i]] {
			first, is := f.head(text, i)
			if !is {
				continue
			}
			start := i + len(f.begin)
			end := start
			for end < len(text) && end-start <= f.most && f.letter(text[end]) {
				end++
			}
			if n := end - start; n < f.least || n > f.most || bits(text[start:end]) < leastFormBits ||
				!strings.ContainsAny(text[start:end], "0123456789") {
				continue
			}
			found = append(found, span{start: first, end: end, rule: f.rule, whole: true})
			from = end
			break
		}
	}
	return found
}

// head returns the start of a token from the position of its prefix. If the prefix is a colon, a number precedes it. A
// prefix inside a longer word does not count.
func (f *form) head(text string, at int) (first int, is bool) {
	const leastNumber = 6
	for first = at; f.begin[0] == ':' && first > 0 && digit(text[first-1]); {
		first--
	}
	alone := first < at-leastNumber+1
	if f.begin[0] != ':' {
		alone = at == 0 || !nameLetter(text[at-1])
	}
	return first, alone && strings.HasPrefix(text[at:], f.begin)
}

// leastFormBits is the least entropy of a token, in bits per byte. A placeholder such as xxxx has less.
const leastFormBits = 2.5
