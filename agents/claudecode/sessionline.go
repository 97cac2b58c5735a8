package claudecode

import (
	"cmp"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// entry is a line of a session file with its relevant members. Values that only some kinds of lines need stay
// undecoded; they are valid only as long as the line.
type entry struct {
	d rawjson.Decoder

	kind, subtype, uuid, parent, session, time string
	request, requestSession, agent             string
	version, cwd, branch, promptSource         string
	sourceCall, parentCall, title, denial      string
	logicalParent, entrypoint, userType        string

	sidechain, meta, summary, hidden, apiError bool
	deniedBefore, deniedAfter                  bool

	message, result, attachment, data, content []byte
	origin, forked, compact, shape, cost, raw  []byte
}

// decode decodes a line. It accepts every JSON object; missing members are empty.
func (e *entry) decode(raw []byte) error {
	d := &e.d
	d.Reset(raw)
	*e = entry{d: *d, raw: raw}
	d.Fill("type", &e.kind, "message", &e.message, "toolUseResult", &e.result, "uuid", &e.uuid, "parentUuid", &e.parent,
		"sessionId", &e.session, "session_id", &e.session, "timestamp", &e.time, "cwd", &e.cwd, "version", &e.version,
		"gitBranch", &e.branch, "isSidechain", &e.sidechain, "userType", &e.userType, "requestId", &e.request,
		"isMeta", &e.meta, "subtype", &e.subtype, "logicalParentUuid", &e.logicalParent, "entrypoint", &e.entrypoint,
		"requestSessionId", &e.requestSession, "agentId", &e.agent, "promptSource", &e.promptSource,
		"sourceToolUseID", &e.sourceCall, "parentToolUseID", &e.parentCall, "toolDenialKind", &e.denial,
		"customTitle", &e.title, "aiTitle", &e.title, "permissionMode", &e.title, "isCompactSummary", &e.summary,
		"isVisibleInTranscriptOnly", &e.hidden, "isApiErrorMessage", &e.apiError,
		"toolDenialBeforeRun", &e.deniedBefore, "toolDenialAfterRun", &e.deniedAfter, "attachment", &e.attachment,
		"data", &e.data, "content", &e.content, "origin", &e.origin, "forkedFrom", &e.forked,
		"compactMetadata", &e.compact, "shape", &e.shape, "totalCostUSD", &e.cost)
	return d.Err()
}

// object passes a line to its chain.
func (s *session) object(ch *chain, object jsonlines.Object) error {
	e := &s.entry
	if err := e.decode(object.Raw); err != nil { // the reader has already checked it
		ch.c.Skip("broken")
		return nil //nolint:nilerr // it is counted
	}
	at := records.Locator{File: ch.file, Offset: object.Offset, Line: object.Line, ID: e.uuid}
	if reason := s.repeated(ch, e, object.Offset); reason != "" {
		ch.c.Skip(reason)
		return nil
	}
	ch.remember(s, e)
	ch.summed(e.uuid)
	if e.uuid != "" && !e.sidechain {
		ch.c.Hang(cmp.Or(e.parent, e.logicalParent))
	}
	switch e.kind {
	case "user", "assistant":
		if side := s.sidechain(ch, e); side != nil {
			return s.turn(side, e, at)
		}
		return s.turn(ch, e, at)
	case "progress":
		return s.progress(ch, e, at)
	case "attachment":
		return s.attachment(ch, e, at)
	case "system":
		return s.system(ch, e)
	}
	s.remark(ch, e)
	return nil
}

// turn handles a line of the conversation itself.
func (s *session) turn(ch *chain, e *entry, at records.Locator) error {
	if e.kind == "assistant" {
		return s.answer(ch, e, at)
	}
	return s.user(ch, e, at)
}

// `repeated` returns the reason why a line does not belong to this conversation; "" if it does.
func (s *session) repeated(ch *chain, e *entry, offset int64) string {
	fresh := ch.c.Begin(e.uuid)
	if !fresh {
		return "repeated"
	}
	if ch.file == "" && s.origins.copied(e, offset) {
		return "copied_from_other_session"
	}
	return ""
}

// `remember` stores the agent's version and directory, and records changes of them.
func (ch *chain) remember(s *session, e *entry) {
	if ch.file != "" {
		return
	}
	reg := &ch.reg
	if reg.Lost != s.Lost {
		reg.Lost = s.Lost
		ch.keep()
	}
	fresh := false
	for _, one := range [...]struct {
		kept *string
		told string
	}{{&reg.Cwd, e.cwd}, {&reg.Version, e.version}, {&reg.Branch, e.branch}, {&reg.Entry, payload.Name(e.entrypoint)},
		{&reg.User, payload.Name(e.userType)}} {
		if one.told != "" && one.told != *one.kept {
			*one.kept, fresh = one.told, true
		}
	}
	if !fresh {
		return
	}
	ch.keep()
	now := *reg
	ch.c.Change(func(h *assemble.Head) {
		h.WorksIn(now.Cwd)
		h.SetVersion(now.Version)
		if now.Branch != "" {
			h.Git, h.Branch = true, cmp.Or(h.Branch, now.Branch)
		}
		h.AddMeta("entrypoint", now.Entry)
		h.AddMeta("user_type", now.User)
	})
}
