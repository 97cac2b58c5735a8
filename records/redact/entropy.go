package redact

import (
	"math"
	"strings"
)

// The limits of a string of high entropy.
const (
	leastEntropy = 28  // characters
	mostEntropy  = 200 // longer strings are data, not keys
	leastBits    = 4.2 // bits for each character
	// leastTurns is the least share of neighbouring characters that are of different kinds (upper case, lower case,
	// digit). In random base62 two thirds of the neighbours differ, in names made from words a quarter.
	leastTurns    = 0.42
	fewDigitTurns = 0.5 // share for tokens with one or two digits
)

// highEntropy finds strings that look random and are not common ids.
func (r *Redactor) highEntropy(text string) []span {
	var found []span
	for from := 0; ; {
		i, end := nextRun(text, from, leastEntropy, &r.token)
		if i < 0 {
			return found
		}
		from = end
		if i > 0 && text[i-1] == '\\' { // of a nested escape
			i += escapeLength(text[i:end])
		}
		if end-i >= leastEntropy && end-i <= mostEntropy && looksRandom(text[i:end]) &&
			!named(text[max(0, i-40):i], text[i:end]) && !legible(text[i:end]) {
			found = append(found, span{start: i, end: end, rule: "high-entropy"})
		}
	}
}

func tokenByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '/' <= c && c <= '9' || c == '+' || c == '_' || c == '-' || c == '='
}

// looksRandom reports whether a token mixes upper case, lower case and digits as random text does.
func looksRandom(token string) bool {
	var upper, lower, digit, other, turns int
	var last byte
	for i := range len(token) {
		kind := byte('o')
		switch c := token[i]; {
		case 'a' <= c && c <= 'z':
			kind = 'l'
			lower++
		case 'A' <= c && c <= 'Z':
			kind = 'u'
			upper++
		case '0' <= c && c <= '9':
			kind = 'd'
			digit++
		default:
			other++
		}
		if i > 0 && kind != last {
			turns++
		}
		last = kind
	}
	n := float64(len(token))
	if upper < 3 || lower < 3 || digit < 1 || digit < 3 && other > 0 || float64(other) > n/8 {
		return false
	}
	least := leastTurns
	if digit < 3 { // one of twenty random tokens has so few
		least = fewDigitTurns
	}
	return float64(turns)/n >= least && bits(token) >= leastBits
}

// `named` reports whether the text before a token shows that the token is not a secret: the checksum of a package, data
// in a URL, or an id from a model's provider.
func named(before, token string) bool {
	last := token[strings.LastIndexByte(token, '/')+1:]
	for _, prefix := range [...]string{
		"toolu_", "tooluse_", "msg_", "agent_msg_", "gen-", "req_", "call_", "resp_", "chatcmpl-", "fc_", "rs_", "run_",
		"thread_", "asst_", "srvtoolu_", "ses_", "prt_", "cse_",
	} {
		if strings.HasPrefix(last, prefix) {
			return true
		}
	}
	if strings.Contains(token, "REDACTED") {
		return true
	}
	lower := strings.ToLower(before + token[:min(len(token), 12)])
	for _, word := range [...]string{"sha512-", "sha384-", "sha256-", "sha1-", "sha256:", "h1:", "base64,", "integrity",
		"signature"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

// `legible` reports whether a token is base64 of a readable text. Such a token is decoded and searched instead.
func legible(token string) bool {
	for _, s := range debase64(token) {
		if s.end-s.start > len(token)*3/4 {
			return true
		}
	}
	return false
}

// bits returns the Shannon entropy in bits per byte.
func bits(text string) float64 {
	if text == "" {
		return 0
	}
	var counts [256]int
	for i := range len(text) {
		counts[text[i]]++
	}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(text))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
