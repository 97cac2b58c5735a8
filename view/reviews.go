package view

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Review is a line of a commit's message that names a reviewer, as git-interpret-trailers(1) reads it. Anybody may
// write such a line.
type Review struct {
	How string `json:"how"` // Reviewed-by
	Who string `json:"who"` // Jane Doe <jane@example.com>
}

// reviewing lists the trailers of reviewers.
var reviewing = []string{"Reviewed-by", "Acked-by", "Tested-by", "Approved-by"}

// Reviews returns the reviews that the messages of commits name; a commit without any is missing.
func (r *Reader) Reviews(ctx context.Context, commits []refs.OID) (map[refs.OID][]Review, error) {
	out := map[refs.OID][]Review{}
	if len(commits) == 0 {
		return out, nil
	}
	objects := r.repo.Objects()
	defer func() { _ = objects.Close() }() // nothing was written to it
	var ids bytes.Buffer
	for _, id := range commits {
		if _, commit, err := objects.Read(id); err != nil || mayName(commit) { // otherwise git is not needed
			ids.WriteString(id.String() + "\n")
		}
	}
	if ids.Len() == 0 {
		return out, nil
	}
	said, err := r.repo.Git(ctx, &ids, "log", "--stdin", "--no-walk=unsorted", "-z", "--no-patch", "--no-show-signature",
		"--no-color", "--no-notes", "--encoding=UTF-8", "--format=tformat:%H%n%(trailers:only,unfold)")
	if err != nil {
		return nil, err
	}
	for text := range strings.SplitSeq(string(said), "\x00") {
		head, trailers, _ := strings.Cut(text, "\n")
		id, err := refs.ParseOID(head)
		if err != nil {
			continue // the text after the last one
		}
		for line := range strings.Lines(trailers) {
			how, who, _ := strings.Cut(line, ":")
			at := slices.IndexFunc(reviewing, func(known string) bool { return strings.EqualFold(known, how) })
			who = strings.ToValidUTF8(strings.TrimSpace(who), "\ufffd")
			if at >= 0 && who != "" {
				out[id] = append(out[id], Review{reviewing[at], who})
			}
		}
	}
	return out, nil
}

// mayName reports whether the text of a commit contains the name of a review's trailer.
func mayName(commit []byte) bool {
	folded := bytes.ToLower(commit)
	return slices.ContainsFunc(reviewing, func(name string) bool {
		return bytes.Contains(folded, []byte(strings.ToLower(name)))
	})
}
