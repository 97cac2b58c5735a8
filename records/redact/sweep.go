package redact

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/records/rawjson"
)

var errSwept = errors.New("a step contains a secret")

// fewSecrets is the greatest number of secrets for which separate searches are quicker than one search for all.
const fewSecrets = 24

// holder returns a function that reports whether a JSON text contains one of the secrets, which are in JSON form.
func holder(secrets [][]byte, replacer *strings.Replacer) func(raw []byte) bool {
	return func(raw []byte) bool {
		if len(secrets) > fewSecrets {
			text := string(raw)
			return replacer.Replace(text) != text
		}
		for _, secret := range secrets {
			if bytes.Contains(raw, secret) {
				return true
			}
		}
		return false
	}
}

// sweepBytes is the size of the part of a conversation that is searched at once.
const sweepBytes = 256 << 10

// anyHolds returns errSwept if a step contains a secret. The processors search several parts in parallel.
func (s *Sink) anyHolds(holds func(raw []byte) bool) error {
	var found atomic.Bool
	var work sync.WaitGroup
	spare := make(chan []byte, 1+runtime.GOMAXPROCS(0))
	for range cap(spare) {
		spare <- nil
	}
	part := <-spare
	look := func() {
		text := part
		part = (<-spare)[:0]
		work.Go(fault.In(func() {
			if holds(text) {
				found.Store(true)
			}
			spare <- text
		}))
	}
	err := s.steps.Each(func(raw []byte) error {
		if found.Load() {
			return errSwept
		}
		// A step has no line feed, so a match cannot cross one.
		if part = append(append(part, raw...), '\n'); len(part) >= sweepBytes {
			look()
		}
		return s.ctx.Err()
	})
	if err == nil && len(part) > 0 {
		look()
	}
	work.Wait()
	if err == nil && found.Load() {
		err = errSwept
	}
	return err
}

// `swept` removes secrets from the strings of a record's JSON text. It leaves ids unchanged, because parts of the
// record refer to each other by id. An id in the form of a secret was already removed.
func swept(raw []byte, secrets *strings.Replacer) ([]byte, error) {
	d := rawjson.NewDecoder(raw)
	out := sweepValue(make([]byte, 0, len(raw)), d, secrets, ofSchema)
	return out, d.Err()
}

// sweepValue appends the next value without the secrets.
func sweepValue(out []byte, d *rawjson.Decoder, secrets *strings.Replacer, at scope) []byte {
	switch d.Kind() {
	case rawjson.String:
		return append(out, secrets.Replace(string(d.Raw()))...)
	case rawjson.Array:
		out = append(out, '[')
		first := true
		for d.OpenArray(); d.Element(); first = false {
			if !first {
				out = append(out, ',')
			}
			out = sweepValue(out, d, secrets, at)
		}
		return append(out, ']')
	case rawjson.Object:
		out = append(out, '{')
		first := true
		for d.Open(); d.Member(); first = false {
			if !first {
				out = append(out, ',')
			}
			name := string(d.Key())
			key := string(rawjson.AppendString(nil, name))
			if at != ofSchema {
				key = secrets.Replace(key)
			}
			out = append(append(out, key...), ':')
			if at == ofSchema && ties(name) || at == ofSources && name == "ids" {
				out = append(out, d.Raw()...)
			} else {
				out = sweepValue(out, d, secrets, at.below(name))
			}
		}
		return append(out, '}')
	}
	return append(out, d.Raw()...)
}

// `ties` reports whether a member's value is an id that connects parts of records and of the log.
func ties(name string) bool {
	switch name {
	case "trace_id", "session_id", "content_hash", "system_prompt_hash", "subagent_trajectory_ref", "tool_call_id",
		"source_call_id", "commit_sha", "base_commit", "ids":
		return true
	}
	return false
}
