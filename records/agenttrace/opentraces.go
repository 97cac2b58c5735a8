package agenttrace

import (
	"cmp"
	"fmt"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/jsonl"
)

// decodeOpentraces decodes the forms that versions of opentraces write under the name of Agent Trace: a row for each
// edit, or a record with the files in "attribution".
func decodeOpentraces(raw []byte) (*Record, error) {
	var row struct {
		TraceID     string `json:"trace_id"`
		SessionID   string `json:"session_id"`
		FilePath    string `json:"file_path"`
		StartLine   int    `json:"start_line"`
		EndLine     int    `json:"end_line"`
		ContentHash string `json:"content_hash"`
		Timestamp   string `json:"timestamp"`

		Attribution *records.Attribution `json:"attribution"`
	}
	if err := jsonl.Decode(raw, &row); err != nil {
		return nil, err
	}
	r := &Record{Version: Version, Timestamp: row.Timestamp, Files: []File{}}
	switch {
	case row.Attribution != nil:
		r.ID = row.TraceID
		r.Files = filesOf(row.Attribution)
		if revision := row.Attribution.Revision["revision"]; revision != "" {
			r.VCS = &VCS{Type: cmp.Or(row.Attribution.Revision["vcs_type"], "git"), Revision: revision}
		}
	case row.FilePath != "":
		r.ID = string(events.NewTraceID(Name, row.SessionID))
		r.Files = []File{{Path: row.FilePath, Conversations: []Conversation{{
			URL:         traceURL(string(events.NewTraceID("claude-code", row.SessionID)), 0),
			Contributor: &Contributor{Type: "ai"},
			Ranges:      []Range{{StartLine: row.StartLine, EndLine: row.EndLine, ContentHash: row.ContentHash}},
		}}}}
	default:
		return nil, fmt.Errorf("%w: attribution, or file_path", ErrMissing)
	}
	return r, r.tidy()
}

func filesOf(a *records.Attribution) []File {
	files := make([]File, 0, len(a.Files))
	for _, f := range a.Files {
		out := File{Path: f.Path, Conversations: []Conversation{}}
		for _, c := range f.Conversations {
			one := Conversation{Contributor: contributorOf(c.Contributor), Ranges: []Range{}}
			if c.URL != nil {
				one.URL = *c.URL
			}
			for _, related := range c.Related {
				if related["type"] != "" && related["url"] != "" {
					one.Related = append(one.Related, Related{related["type"], related["url"]})
				}
			}
			for _, r := range c.Ranges {
				lines := Range{StartLine: r.StartLine, EndLine: r.EndLine, Contributor: contributorOf(r.Contributor)}
				if r.ContentHash != nil {
					lines.ContentHash = *r.ContentHash
				}
				one.Ranges = append(one.Ranges, lines)
			}
			out.Conversations = append(out.Conversations, one)
		}
		files = append(files, out)
	}
	return files
}

func contributorOf(members map[string]string) *Contributor {
	if members["type"] == "" {
		return nil
	}
	return &Contributor{Type: members["type"], ModelID: members["model_id"]}
}
