package show

import (
	"context"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// mostForWhy is the number of events that are read to find out why lines are unknown: status must answer at once.
const mostForWhy = 2000

// WhyUnknown lists the limitations that the log gives for the newest unknown changes of files with uncommitted unknown
// lines.
func WhyUnknown(ctx context.Context, repo *refs.Repo, left *view.Pending) []events.Limit {
	files := map[string]bool{}
	for i := range left.Files {
		for k := range left.Files[i].Runs {
			if left.Files[i].Runs[k].Owner.Kind == events.OwnerUnknown {
				files[events.EncodePath(left.Files[i].Path)] = true
			}
		}
	}
	out := slices.Clone(left.Doubts)
	read := 0
	for e, err := range events.OpenLog(repo).Walk(ctx, events.Range{Order: events.NewestFirst}) {
		if read++; err != nil || read > mostForWhy {
			break
		}
		var patch events.PatchData
		if e.Type == events.PatchRecorded && events.ReadData(e.Data, &patch) == nil && patch.Owner == events.OwnerUnknown &&
			files[patch.Path] {
			out = append(out, e.Limits...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// lineDoubts lists the limitations of an unknown line. They come from the newest unknown change that wrote an equal
// line to the path.
func lineDoubts(ctx context.Context, repo *refs.Repo, path string, line []byte) []events.Limit {
	print, stored := events.FingerprintOf(line), events.EncodePath(path)
	read := 0
	for e, err := range events.OpenLog(repo).Walk(ctx, events.Range{Order: events.NewestFirst}) {
		if read++; err != nil || read > mostForWhy {
			break
		}
		var patch events.PatchData
		if e.Type != events.PatchRecorded || len(e.Limits) == 0 || events.ReadData(e.Data, &patch) != nil ||
			patch.Owner != events.OwnerUnknown || patch.Path != stored {
			continue
		}
		prints, err := events.DecodeFingerprints(patch.Lines)
		if err == nil && slices.Contains(prints, print) {
			return e.Limits
		}
	}
	return nil
}

// Doubt gives unknown lines the limitations of the capture that the log has for them.
func (v *WhyView) Doubt(ctx context.Context, repo *refs.Repo) {
	for _, r := range v.reasons {
		o := r.Owner()
		if o.Kind != events.OwnerUnknown || len(o.Limits) > 0 {
			continue
		}
		if limits := lineDoubts(ctx, repo, r.Path, r.Lines[0].Content); limits != nil {
			told := *o // other lines share the owner
			told.Limits = limits
			r.Lines[0].Owner = &told
		}
	}
}

// reasons maps each limitation to an explanation in words.
var reasons = map[events.Limit]string{
	events.LimitProcessGone:       "an agent died in a call",
	events.LimitProcessUnknown:    "a call was open, and its processes are not known",
	events.LimitProcessSilent:     "a running command had written less",
	events.LimitBackgroundProcess: "a command ran on in the background",
	events.LimitMissingAfter:      "a call was interrupted, or its end was never reported",
	events.LimitMissingBefore:     "the beginning of a call was never reported",
	events.LimitBoundaryLate:      "hooks could not keep up",
	events.LimitConsentUnknown:    "a call waited for your consent, and its beginning is not known",
	events.LimitNotReported:       "a call was running that no hook reported",
	events.LimitPayloadMismatch:   "an edit reported a text that differs from the file",
	events.LimitPathNotCaptured:   "a file could not be read",
	events.LimitHookMissed:        "hooks ran but could not record",
	events.LimitPathNotNamed:      "a running tool did not name the file",
	events.LimitConcurrentWriters: "several calls were running",
	events.LimitCompletionUntold:  "an editor that does not report all completions had the work tree open",
}

// InWords explains limitations in words.
func InWords(why []events.Limit) string {
	var words []string
	for _, limit := range why {
		if text := reasons[limit]; text != "" {
			words = append(words, text)
		}
	}
	if len(words) == 0 {
		return "no event says why"
	}
	return strings.Join(words, "; ")
}
