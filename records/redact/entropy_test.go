package redact

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestWhatLooksRandom(t *testing.T) {
	t.Parallel()
	const token = "aB1cD2eF3gH4iJ5kL6mN7oP8qR9s" // 28 different characters
	long := strings.Repeat("aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV", 7)
	for text, want := range map[string][]string{
		token:                         {token},
		"use " + token + ".":          {token},
		"use " + token + ", " + token: {token, token},
		token[1:]:                     {}, // too short
		long[:200]:                    {long[:200]},
		long[:201]:                    {}, // data
		"sha256-" + token:             {},
		"sha256: " + token:            {},
		"sha256 " + token:             {token},
		"integrity " + token:          {},
		"integrity" + strings.Repeat(" ", 32) + token: {token},
		"integrity" + strings.Repeat(" ", 31) + token: {},
		"toolu_" + token:                 {},
		"a/b/toolu_" + token:             {},
		"toolu_/" + token:                {"toolu_/" + token},
		"REDACTED" + token:               {},
		`say \n` + token:                 {token},
		"aBzC2DeFxGhHyIjJwKlKvMnMuOpQ":   {"aBzC2DeFxGhHyIjJwKlKvMnMuOpQ"}, // one digit, but kinds that turn often
		"aBzC_DeF2GhHyIjJwKlKvMnMuOpQ":   {},
		"rewriteValueOfSomeInBounds2For": {},
		`say \u003c` + token:             {token},
		`say \` + token:                  {}, // one letter less
		`say \` + "x" + token:            {token},
	} {
		if got := cut(text, newRedactor(t, Options{}).highEntropy(text)); !slices.Equal(got, want) {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

func TestKindsOfCharactersThatChanceMixes(t *testing.T) {
	t.Parallel()
	for token, want := range map[string]bool{
		"aB1cD2eF3gH4iJ5kL6mN7oP8qR9s": true,
		"aB1cD2efgh4ij5kl6mn7opF8qr9s": true,  // three capitals
		"aB1cD2efgh4ij5kl6mn7opf8qr9s": false, // two
		"Ab1Cd2EFGH4IJ5KL6MN7OPf8QR9S": true,
		"Ab1Cd2EFGH4IJ5KL6MN7OPF8QR9S": false,
		"aBcDeF1gHiJkL2mNoPqRs3tUvWxY": true,
		"aBcDeF1gHiJkL2mNoPqRsztUvWxY": true, // two digits, but kinds that turn often
		"aBcDeFagHiJkLcmNoPqRsztUvWxY": false,
		"aBcdeF1ghiJkl2mnopqRsztUvwxY": true, // 14 turns of 28
		"aBcdeF1ghiJkl2mnopqrsztUvwxY": false,
		"aB1cD2eF3gH4iJ5kL6mN7o/-_":    true,  // three others of 25
		"aB1cD2eF3gH4iJ5kL6mN7/-_+":    false, // four
		"aB1cD2eF3gH4iJ5kL6/-_A":       false,
		"aB1cD2eF3gH4iJ5kL6mN7o/-":     true,
		"aB1cD2eF3gH4iJ5kL6mN7/-_":     true, // an eighth
		"aB1cD2aB1cD2aB1cD2aB1cD2aB1c": false,
		"abcdefghijABCDEFGHIJ01234567": false, // two turns
		"abcdEFGH1234ijklMNOP5678qrst": false,
		// 21 turns of 50, some of them beside a mark
		"A-B-c1Ea2Fb3Gc4Hd5Ie6JPQRSTUVWXYZABCDEFGHIJKLMNOPQ":        true,
		"a-b-C1Ea2Fb3Gc4Hd5Ie6JPQRSTUVWXYZABCDEFGHIJKLMNOPQ":        true,
		"1-2-aCEa2Fb3Gc4Hd5Ie6Jfjklmnopqrstuvwxyzabcdefghij":        true,
		strings.Repeat("aB1", 7) + "cdefghijklmnopqrstuvwxyzabcde":  true,  // 21 turns of 50
		strings.Repeat("aB1", 7) + "bcdefghijklmnopqrstuvwxyzabcde": false, // 21 of 51
	} {
		if got := looksRandom(token); got != want {
			t.Errorf("%s: %v, %.2f bits", token, got, bits(token))
		}
	}
}

func TestBitsOfACharacter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{"": 0, "aaaa": 0, "abab": 1, "abcd": 2, "aaab": 0.811278} {
		if got := bits(text); math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: %f", text, got)
		}
	}
}

func TestBytesOfTokens(t *testing.T) {
	t.Parallel()
	const tokens = "+-/0123456789=ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
	for c := range 256 {
		if got := tokenByte(byte(c)); got != (strings.IndexByte(tokens, byte(c)) >= 0) {
			t.Errorf("%q: %v", byte(c), got)
		}
	}
}
