package events

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/refs"
)

// span is a batch of the file of this clone's log, between two end lines. A long log may have as many spans as events.
type span struct {
	from, to int64 // offsets of the events in the file
	end      int32 // kept bytes of its end line; 0 for none
}

// part returns the batch from the text of the file.
func (s span) part(text []byte) (p part) {
	raw, line := text[:s.to-s.from], text[s.to-s.from:][:s.end]
	p.size = len(raw)
	p.lines = bytes.Split(bytes.TrimSuffix(raw, newline), newline)
	if end, length, ok := parseEnd(string(bytes.TrimSuffix(line, newline))); ok {
		p.seq, p.id, p.length = end.seq, end.id, length
	} else {
		p.wrong = "no sound line ends the batch"
	}
	return p
}

// readFile reads the file of this clone's log. It finds the batches from the front, even if one is damaged, and checks
// them from the back.
func (v *verifier) readFile(ctx context.Context, p *checks) error {
	if v.own.gen == "" {
		v.chain.early = append(v.chain.early, Fault{Seq: 1, Kind: FaultFile, Detail: "its first line is not that of a log"})
	}
	spans, err := v.spans()
	if err != nil {
		return err
	}
	for left := len(spans); left > 0 && ctx.Err() == nil; {
		first, last := left-1, spans[left-1]
		for first > 0 && last.to-spans[first-1].from <= checkBytes {
			first--
		}
		begin := spans[first].from
		text := make([]byte, last.to+int64(last.end)-begin) // of several at once: a system call for each takes longer
		if _, err := v.own.file.ReadAt(text, begin); err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read log: %w", err)
		}
		for ; left > first; left-- {
			s := spans[left-1]
			p.submit(s.part(text[s.from-begin:]))
		}
	}
	return ctx.Err()
}

// spans cuts the file at its end lines. The rest after the last end line, from a killed append, does not count.
func (v *verifier) spans() ([]span, error) {
	var spans []span
	in := bufio.NewReaderSize(io.NewSectionReader(v.own.file, 0, v.own.size), 1<<20)
	at := int64(0)
	next := func() (line []byte, err error) {
		if line, err = in.ReadSlice('\n'); errors.Is(err, bufio.ErrBufferFull) {
			line = bytes.Clone(line) // longer than any event: its beginning is enough
			var rest []byte
			rest, err = in.ReadBytes('\n')
			at += int64(len(rest))
		}
		at += int64(len(line))
		return line, err
	}
	if _, err := next(); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read log: %w", err)
	}
	for begin := at; ; {
		before := at
		line, err := next()
		eof := errors.Is(err, io.EOF)
		if err != nil && !eof {
			return nil, fmt.Errorf("read log: %w", err)
		}
		ended := len(line) > 0 && line[0] == '#'
		if !ended && !eof {
			continue
		}
		s := span{from: begin, to: before, end: int32(len(line))}
		if !ended {
			s.to, s.end = at, 0
		}
		if s.to > s.from && (!eof || v.damage != nil) {
			spans = append(spans, s)
		}
		if begin = at; eof {
			return spans, nil
		}
	}
}

// readSealed reads the files of a seal, and returns the reason if it stopped.
func (v *verifier) readSealed(p *checks) (cut string) {
	if v.report.Ref == refs.EventsRef {
		v.watchSeals()
	}
	err := v.log.sealedLines(v.report.Tip, NewestFirst, func(f PublishedFile, lines [][]byte) error {
		one := part{lines: lines}
		for _, line := range lines {
			one.size += len(line) + 1
		}
		p.submit(one)
		return nil
	})
	if err == nil {
		return ""
	}
	if seal, err := v.log.readSeal(v.report.Tip); err == nil {
		v.chain.sealed = seal.Head.Events
	}
	return err.Error()
}

// compareSeal compares the ref's log with the file. The seal is not an outside witness, so it confirms nothing; but if
// it has another event, one of the two was changed.
func (v *verifier) compareSeal() {
	note := func(format string, args ...any) {
		v.report.Notes = append(v.report.Notes, refs.EventsRef+" "+fmt.Sprintf(format, args...)+
			": git trace gc seals the log again")
	}
	if v.report.Tip.IsZero() {
		note("does not name the log's seal")
		return
	}
	p, err := v.log.readSeal(v.report.Tip)
	if err != nil {
		note("does not name the log's seal (%v)", err)
		return
	}
	v.watchSeals()
	for _, f := range p.Files {
		if _, err := v.log.sealedFile(f); err != nil {
			note("lacks events from %d on (%v)", f.First, err)
			return
		}
	}
}

// mostSeals is the number of seals that are followed, from the newest one back.
const mostSeals = 1 << 20

// watchSeals compares each seal of the chain with the log, which must have the seal's last event. The tip may not be a
// seal; its reader reports that.
func (v *verifier) watchSeals() {
	objects := v.log.repo.Objects()
	objects.Max = maxHead
	defer objects.Close()
	commit := v.report.Tip
	for range mostSeals {
		v.unsound.meet(commit)
		p, err := readHead(objects, commit)
		if err != nil {
			if commit != v.report.Tip {
				note := fmt.Sprintf("the seal %s before the last one cannot be read: %v", commit, err)
				v.report.Notes = append(v.report.Notes, note)
			}
			return
		}
		at := p.Head.Source
		source := fmt.Sprintf("the seal %s on %s", commit, v.report.Ref)
		v.seals = append(v.seals, Anchor{Seq: at.Seq, ID: at.Event, Source: source})
		v.chain.watched[at.Seq] = true
		if len(p.Parents) == 0 {
			return
		}
		commit = p.Parents[0]
	}
}
