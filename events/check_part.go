package events

// checkPart hashes the events of a part and holds them against what ends it.
func checkPart(r *checkedReader, p filePart, watched map[int64]bool) checkedCommit {
	var out checkedCommit
	last, sound := out.lines(r, batch{lines: p.lines}, watched)
	length := 0
	for _, line := range p.lines {
		length += len(line) + 1
	}
	if p.wrong == "" && p.seq != 0 && sound && (last.Seq != p.seq || last.ID != p.id || length != p.length) {
		p.wrong = "the end line of the batch is not what its events make it"
	}
	if p.wrong != "" {
		out.fault(len(p.lines)-1, FaultFile, "%s", p.wrong)
	}
	if p.first {
		for i := range out.marks {
			out.marks[i].flags |= markRooted
		}
	}
	return out
}
