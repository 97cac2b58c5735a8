package redact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
)

// talk gives a sink a conversation: steps with names and secrets, steps that are told again, results that come late.
// What one step has others have, too, with and without a name that tells it to be a secret.
func talk(s *Sink, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 22))
	secrets := []string{"tok-9f8e7d6c5b4a39281706", "zq7Lk2Wn8Rt4Yp6Vb1Xc", "ghp_0123456789abcdefghijABCDEFGHIJ456789"}
	pieces := []string{"alice", "/home/bob/src", "\u2028 and \u2029", "<b>&amp;</b>", "nothing of it", "an é, a 日本 — and …", "\x00\x1b[1m"}
	for i := range 60 {
		var text strings.Builder
		for range random.IntN(12) {
			secret := secrets[random.IntN(len(secrets))]
			switch random.IntN(12) {
			case 0:
				fmt.Fprintf(&text, "\npassword = %q\n", secret)
			case 1:
				text.WriteString("\nexport GITHUB_TOKEN=" + secret + "\n")
			case 2:
				text.WriteString(secret)
			default:
				text.WriteString(pieces[random.IntN(len(pieces))] + " ")
			}
		}
		step := said(i+1, text.String())
		if random.IntN(20) == 0 {
			step.StepIndex = max(1, i-3)
		}
		err := s.Step(step)
		if err == nil && random.IntN(8) == 0 {
			err = s.Late(1+random.IntN(i+1), late(text.String()))
		}
		if err == nil && random.IntN(40) == 0 {
			s.Secrets()
			err = s.Truncate(len(s.Counts()) - 1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// made is the record that a sink makes.
func made(t *testing.T, s *Sink) string {
	t.Helper()
	out, err := s.Finish(conversation("alice says tok-9f8e7d6c5b4a39281706"))
	must(t, err)
	var raw bytes.Buffer
	must(t, out.Write(&raw))
	must(t, out.Close())
	return raw.String()
}

// A record is the same, whether its steps are redacted one after the other or by all processors.
func TestStepsRedactedAbreastAreThoseRedactedInTurn(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{Names: []string{"alice"}})
	abreast := r.Abreast()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			one, other := r.Twin().Sink(t.Context(), ""), abreast.Sink(t.Context(), "")
			must(t, talk(one, seed))
			must(t, talk(other, seed))
			want, got := made(t, one), made(t, other)
			if got != want {
				t.Errorf("abreast:\n%.2000s\nin turn:\n%.2000s", got, want)
			}
			if !strings.Contains(got, markerStart) || strings.Contains(got, "zq7Lk2Wn8Rt4Yp6Vb1Xc") {
				t.Error("there was no secret, or it stayed")
			}
		})
	}
}

// A step is kept as it is when it is read and written again, whatever was taken out of it.
func TestARedactedStepIsWrittenAsARecordWritesIt(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{Names: []string{"alice"}})
	for i, text := range []string{"alice", "nobody", "alice <&> \u2028\u2029", "\u2028", "alice \x7f\b\f\x01 \xff", "alice — …", `alice \u003c`} {
		step := said(1, text)
		step.ToolCalls[0].Input = []byte(`{"a":"alice \u003c\u2028` + "\u2028" + `","b":[1.50,"` + "—" + `"]}`)
		if i == 1 {
			step.ToolCalls[0].Input = nil
		}
		raw, _, err := redactStep(t.Context(), r, step)
		must(t, err)
		whole := []byte(`{"schema_version":"0.3.0","trace_id":"t","session_id":"s","agent":{"name":"a"},"steps":[` + string(raw) + `]}`)
		again, err := records.Decode(whole)
		must(t, err)
		want, err := records.EncodeStep(&again.Steps[0])
		must(t, err)
		if !bytes.Equal(raw, want) {
			t.Errorf("%q:\n%s\nwant\n%s", text, raw, want)
		}
	}
}

// A step that cannot be redacted ends the conversation, at the latest at its end, and leaves nothing.
func TestAbreastNoStepIsLeftOut(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]error{"error": nil, "panic": ErrPanic} {
		abreast := newRedactor(t, Options{Finder: brokenFinder{kind}}).Abreast()
		s := abreast.Sink(t.Context(), "")
		_ = s.Step(said(1, "trouble"))
		out, err := s.Finish(conversation())
		if err == nil || out != nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: made %v, error %v", kind, out, err)
		}
		must(t, s.Close())
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := newRedactor(t, Options{}).Abreast().Sink(ctx, "")
	cancel()
	_ = s.Step(said(1, "trouble"))
	if _, err := s.Finish(conversation()); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	must(t, s.Close())
}

// However long a conversation is, what waits is bounded.
func TestAbreastLittleWaits(t *testing.T) {
	t.Parallel()
	s := newRedactor(t, Options{Finder: fixed{}}).Abreast().Sink(t.Context(), "")
	for i := range 40 {
		must(t, s.Step(said(i+1, strings.Repeat("word ", 80_000))))
		if s.ahead.bytes > mostAheadBytes+1<<20 || len(s.ahead.begun) > mostAhead {
			t.Fatalf("%d bytes wait, %d steps", s.ahead.bytes, len(s.ahead.begun))
		}
	}
	if got := len(s.Counts()); got != 40 || s.ahead.bytes != 0 {
		t.Errorf("%d steps, %d bytes wait", got, s.ahead.bytes)
	}
	must(t, s.Close())
}
