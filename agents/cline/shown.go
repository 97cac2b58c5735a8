package cline

import (
	"path/filepath"

	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// `shown` is the user's view of a task. It has data that the conversation with the model lacks: tokens and times.
type shown struct {
	requests []request
	models   []modelUse // models of a task of Cline, in the order of time
	model    string     // the model's name that Roo last told the model

	checkpoints []checkpoint
}

// checkpoint is a state of the work tree that the client stored, as a commit in the client's own repository.
type checkpoint struct {
	SHA  string `json:"sha"`
	Time string `json:"timestamp"`
}

// modelUse is the model that was used from a time on.
type modelUse struct {
	at    int64
	model string
}

// request is a request to the model.
type request struct {
	at    int64
	usage *assemble.Usage
	cost  float64
}

// maxRequests limits the number of requests of a task that are kept.
const maxRequests = 100_000

// readShown reads the user's view next to a task's conversation. Without it, the tokens are unknown.
func readShown(path string) *shown {
	s := &shown{}
	told := beside(path, shownFile)
	if told == nil && filepath.Base(path) != olderFile {
		told = beside(path, olderFile)
	}
	d := rawjson.NewDecoder(told)
	for d.OpenArray(); d.Element(); {
		raw := d.Raw()
		if string(rawjson.Member(raw, "partial")) == "true" || len(s.requests)+len(s.checkpoints) >= maxRequests {
			continue
		}
		at, text := rawjson.MemberInt(raw, "ts"), rawjson.MemberText(raw, "text")
		switch rawjson.MemberText(raw, "say") {
		case "api_req_started":
			s.requests = append(s.requests, requestOf(at, []byte(text)))
		case "checkpoint_created":
			s.checkpoint(at, rawjson.MemberText(raw, "lastCheckpointHash"))
		case "checkpoint_saved": // only in Roo
			s.checkpoint(at, text)
		}
	}
	d = rawjson.NewDecoder(rawjson.Member(beside(path, "task_metadata.json"), "model_usage"))
	for d.OpenArray(); d.Element(); {
		raw := d.Raw()
		if len(s.models) < maxRequests {
			s.models = append(s.models, modelUse{rawjson.MemberInt(raw, "ts"), modelName(rawjson.MemberText(raw, "model_id"),
				rawjson.MemberText(raw, "model_provider_id"))})
		}
	}
	return s
}

func (s *shown) checkpoint(at int64, sha string) {
	if sessionfile.ObjectName(sha) {
		s.checkpoints = append(s.checkpoints, checkpoint{sha, sessionfile.Millis(at)})
	}
}

// modelAt returns the model at a time; "" if it is unknown.
func (s *shown) modelAt(at int64) string {
	model := s.model
	for _, use := range s.models {
		if use.at <= at || model == "" {
			model = use.model
		}
	}
	return model
}

// requestOf returns a request with its tokens; the prompt's tokens do not include the cache.
func requestOf(at int64, text []byte) request {
	if rawjson.Member(text, "tokensIn") == nil {
		return request{at: at}
	}
	counts := sessionfile.Counts{Input: "tokensIn", Output: "tokensOut", Read: "cacheReads", Write: "cacheWrites"}
	return request{at, counts.Usage(text), costOf(text)}
}

// answer returns the request of the n-th answer, from 1.
func (s *shown) answer(n int) request {
	if n > len(s.requests) {
		return request{}
	}
	return s.requests[n-1]
}
