package events

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-trace/git-trace/internal/version"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/codec"
)

// Logs of others are checked once, when they arrive, and appended to one file. A second file describes its content:
//
//	fetched/log   a header line · the lines of the logs, as they came; bytes in it never change
//	fetched/ends  of each log where it ends and which parts of the first file are its own · a check sum of all before
//
// A batch counts once it is in the second file, so a process may be killed at any moment. Both files are a cache. This
// clone's log, if it has no file, is copied in the same way into own/log.
//
// For an unsound log, the second file has the reason. The noted commit includes everything that was read, so the next
// command need not read it again. Another version of the program may judge differently, so the note is valid only for
// one version.

// `taken` holds the content of the second file, which has the ends of the logs.
type taken struct {
	gen   string // generation of the build of the events file
	by    string // the version that judged the unsound logs
	size  int64  // size of the file of lines
	logs  []takenLog
	parts []textPart
}

// takenLog is a log; its number is its index. A log without a ref is a removed log.
type takenLog struct {
	ref     string
	end     flatEnd // end of the content of exactly this commit
	unsound string  // the reason for not reading it; "" for a sound log
}

// takenForm names the form of the file.
const takenForm = "taken 1"

func (k *taken) fields(f codec.Fields) {
	form := takenForm
	if codec.Texts(f, &form, &k.gen, &k.by); form != takenForm {
		return
	}
	f.Integer(&k.size)
	codec.List(f, &k.logs, func(t *takenLog) {
		codec.Texts(f, &t.ref, (*string)(&t.end.id), &t.unsound)
		f.OID(&t.end.commit)
		f.Integer(&t.end.seq)
	})
	codec.List(f, &k.parts, func(p *textPart) {
		f.Integer(&p.at)
		codec.Number(f, &p.log)
	})
}

func (k *taken) encode() []byte {
	var w codec.Writer
	k.fields(&w)
	return append(w.Out, checkSum(string(w.Out))...)
}

// numbers returns the numbers of the logs that are there, by their refs.
func (k *taken) numbers() map[string]int {
	of := make(map[string]int, len(k.logs))
	for n := range k.logs {
		if k.logs[n].ref != "" {
			of[k.logs[n].ref] = n
		}
	}
	return of
}

func (l *Log) takenPath(dir, name string) string { return filepath.Join(l.cacheDir(), dir, name) }

// readTaken reads a file that encode made. It returns the zero value for any other file.
func (l *Log) readTaken(dir string) (k taken) {
	text, err := refs.ReadText(l.takenPath(dir, "ends"))
	if err != nil || len(text) < checkSumLength {
		return taken{}
	}
	text, sum := text[:len(text)-checkSumLength], text[len(text)-checkSumLength:]
	r := codec.Reader{In: text}
	if checkSum(text) != sum {
		return taken{}
	}
	if k.fields(&r); r.End() != nil {
		return taken{}
	}
	for n := range k.logs {
		if k.by != version.Text() && k.logs[n].unsound != "" {
			k.logs[n] = takenLog{}
		}
	}
	return k
}

// openTaken opens the lines and the ends; nil if they do not match.
func (l *Log) openTaken(dir string) (taken, *Text) {
	k := l.readTaken(dir)
	if k.gen == "" {
		return taken{}, &Text{}
	}
	f, err := openBuild(l.takenPath(dir, "log"), takenHeader(l.repo.Format, k.gen), k.size)
	if err != nil {
		return taken{}, &Text{}
	}
	return k, &Text{gen: k.gen, file: f, stored: k.size, parts: k.parts}
}

// takenHeader returns the first line of the file of lines.
func takenHeader(format refs.ObjectFormat, gen string) string {
	return "git-trace logs 1 " + format.String() + " " + gen + "\n"
}

// openBuild opens a file. The file is damaged unless it begins with the header line and has a batch that ends at
// `size`.
func openBuild(path, header string, size int64) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCopyDamaged, err)
	}
	head, b := make([]byte, len(header)), foundBatch{}
	if _, err = f.ReadAt(head, 0); err == nil && size >= int64(len(head)) {
		b, err = batchBefore(f, int64(len(head)), size)
	}
	if err != nil || string(head) != header || b.end.offset != size {
		_ = f.Close()
		return nil, ErrCopyDamaged
	}
	return f, nil
}

// FetchedCopy is the copy of a fetched log, or the reason why there is none: no part of a damaged log counts.
type FetchedCopy struct {
	*FetchedLog
	Copy *Copy
	Err  error
}

// Copies opens the copies of fetched logs. It checks and copies new events.
func (l *Log) Copies(ctx context.Context, logs []FetchedLog) ([]FetchedCopy, error) {
	out, err := l.takeIn(ctx, fetchedDir, logs)
	for i := range out {
		if out[i].Err != nil {
			out[i].Err = fmt.Errorf("copy log %s: %w", out[i].Ref, out[i].Err)
		}
	}
	return out, err
}

func (l *Log) takeIn(ctx context.Context, dir string, logs []FetchedLog) ([]FetchedCopy, error) {
	if len(logs) == 0 {
		return nil, nil
	}
	k, text := l.openTaken(dir)
	in := intake{log: l, dir: dir, taken: k, wanted: logs, failed: map[string]error{}}
	if len(in.lacking()) > 0 {
		text.close()
		var err error
		if text, err = in.extend(ctx); err != nil {
			return nil, err
		}
	}
	return in.copies(text), nil
}

type intake struct {
	log *Log
	dir string
	taken
	wanted []FetchedLog
	failed map[string]error // reasons for not reading logs that may be readable the next time, by their refs

	out  *bufio.Writer
	undo func(size int64) error // removes the bytes after an offset
}

// lacking returns the logs that are not copied in their present state.
func (in *intake) lacking() (fresh []FetchedLog) {
	numbers := in.numbers()
	for _, f := range in.wanted {
		if n, known := numbers[f.Ref]; !known || in.logs[n].end.commit != f.Tip {
			fresh = append(fresh, f)
		}
	}
	return fresh
}

// extend copies new events. If they cannot be stored, they stay in memory.
func (in *intake) extend(ctx context.Context) (*Text, error) {
	const buffer = 256 << 10
	in.out = bufio.NewWriterSize(nil, buffer)
	if lock, err := refs.Flock(in.log.takenPath(in.dir, "log.lock"), lockPatience); err == nil {
		defer lock.Unlock()
		text, err := in.store(ctx)
		if err == nil || ctx.Err() != nil {
			return text, ctx.Err()
		}
	}
	var text *Text
	in.taken, text = in.log.openTaken(in.dir)
	in.size = text.stored
	var tail bytes.Buffer
	in.undo = func(size int64) error {
		in.out.Reset(&tail)
		tail.Truncate(int(size - text.stored))
		return nil
	}
	err := in.takeAll(ctx)
	if err != nil {
		text.close()
	}
	text.tail, text.parts = tail.Bytes(), in.parts
	return text, err
}

// store appends new events to the file, and updates the ends.
func (in *intake) store(ctx context.Context) (text *Text, err error) {
	in.taken, text = in.log.openTaken(in.dir)
	if len(in.lacking()) == 0 { // another process was quicker
		return text, nil
	}
	text.close()
	if err := in.leaveOut(ctx); err != nil {
		return nil, err
	}
	path := in.log.takenPath(in.dir, "log")
	if in.gen == "" {
		in.taken = taken{gen: newGeneration()}
		header := takenHeader(in.log.repo.Format, in.gen)
		if err := refs.WriteFileAtomic(path, []byte(header), 0o666); err != nil {
			return nil, err
		}
		in.size = int64(len(header))
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	in.undo = func(size int64) error {
		in.out.Reset(io.NewOffsetWriter(f, size))
		return f.Truncate(size)
	}
	if err = in.takeAll(ctx); err == nil {
		in.by = version.Text()
		err = refs.WriteFileAtomic(in.log.takenPath(in.dir, "ends"), in.encode(), 0o666)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Text{gen: in.gen, file: f, stored: in.size, parts: in.parts}, nil
}

// Bounds for the share of removed logs in the file, and for the number of parts.
const (
	littleTaken = 1 << 20
	fewParts    = 1 << 10
	partsOfLog  = 32
)

// leaveOut forgets the logs without a ref. If they are most of the file, or there are too many parts, it starts a new
// file.
func (in *intake) leaveOut(ctx context.Context) error {
	if in.dir == fetchedDir {
		here, err := in.log.Fetched(ctx)
		if err != nil {
			return err
		}
		there := make(map[string]bool, len(here))
		for _, f := range here {
			there[f.Ref] = true
		}
		for n := range in.logs {
			if !there[in.logs[n].ref] {
				in.logs[n] = takenLog{}
			}
		}
	}
	live := int64(0)
	for i, p := range in.parts {
		if in.logs[p.log].ref != "" {
			live += in.endOf(i) - p.at
		}
	}
	if in.size > 2*live+littleTaken || len(in.parts) > fewParts+partsOfLog*len(in.logs) {
		in.taken = taken{} // a log is copied when a caller asks for it
	}
	return nil
}

func (k *taken) endOf(part int) int64 {
	if part+1 < len(k.parts) {
		return k.parts[part+1].at
	}
	return k.size
}

// takeAll copies the fresh logs. An error comes from writing or from the context.
func (in *intake) takeAll(ctx context.Context) error {
	fresh := in.lacking()
	swollen, err := in.log.swollen(ctx, slices.DeleteFunc(slices.Clone(fresh), func(f FetchedLog) bool { return f.own() }))
	if err == nil {
		err = in.undo(in.size) // the rest of a killed process's write
	}
	if err != nil {
		return err
	}
	numbers := in.numbers()
	for _, f := range fresh {
		begin := in.size
		n, known := numbers[f.Ref]
		goesOn := known && in.logs[n].unsound == ""
		var end flatEnd
		if goesOn {
			end = in.logs[n].end
		}
		end, err := in.take(ctx, f, end, swollen[f.Tip])
		if errors.Is(err, errForked) && goesOn { // the log was started again
			goesOn = false
			if err = in.undo(begin); err == nil {
				end, err = in.take(ctx, f, flatEnd{}, swollen[f.Tip])
			}
		}
		if flushed := in.out.Flush(); flushed != nil || ctx.Err() != nil {
			return errors.Join(flushed, ctx.Err())
		}
		t := takenLog{ref: f.Ref, end: end}
		if t.end.commit = f.Tip; err != nil { // an unsound log is not copied
			if err := in.undo(begin); err != nil {
				return err
			}
			if passes(err) {
				in.failed[f.Ref] = err
				continue
			}
			t.unsound, goesOn, end.offset = err.Error(), false, begin
		}
		if known && !goesOn {
			in.logs[n] = takenLog{}
		}
		if !goesOn {
			n, in.logs = len(in.logs), append(in.logs, takenLog{})
		}
		if in.logs[n] = t; end.offset == begin {
			continue
		}
		if in.size = end.offset; len(in.parts) == 0 || in.parts[len(in.parts)-1].log != uint32(n) {
			in.parts = append(in.parts, textPart{begin, uint32(n)})
		}
	}
	return nil
}

// `own` reports whether this clone wrote a log.
func (f *FetchedLog) own() bool { return f.Aside || f.Ref == refs.EventsRef }

// `take` copies the events of a log after an end.
func (in *intake) take(ctx context.Context, f FetchedLog, end flatEnd, swollen string) (flatEnd, error) {
	if swollen != "" && !f.own() {
		return end, &brokenError{why: swollen}
	}
	end.offset = in.size
	of, _ := parseFetched(f.Ref)
	return in.log.copySound(ctx, of, f.Tip, end, in.out)
}

// copies returns the copies of the logs in the text.
func (in *intake) copies(text *Text) []FetchedCopy {
	numbers := in.numbers()
	spans := make([][]textSpan, len(in.logs))
	for i, p := range in.parts {
		spans[p.log] = append(spans[p.log], textSpan{p.at, in.endOf(i)})
	}
	out := make([]FetchedCopy, len(in.wanted))
	for i := range in.wanted {
		f := &in.wanted[i]
		out[i] = FetchedCopy{FetchedLog: f, Err: in.failed[f.Ref]}
		n, known := numbers[f.Ref]
		switch {
		case out[i].Err != nil:
		case !known:
			out[i].Err = ErrCopyDamaged
		case in.logs[n].unsound != "":
			out[i].Err = errors.New(in.logs[n].unsound)
		default:
			text.users++
			out[i].Copy = &Copy{ref: f.Ref, number: uint32(n), end: in.logs[n].end, text: text, spans: spans[n]}
		}
	}
	if text.users == 0 {
		text.close()
	}
	return out
}

// Misnamed is a fetched log whose ref names another writer than its events. It is not read.
type Misnamed struct {
	FetchedLog
	True string // the ref that would name its writer
}

// Misnamed lists the fetched logs whose refs do not name their writers. It reads only last events; a copied log was
// checked before.
func (l *Log) Misnamed(ctx context.Context) ([]Misnamed, error) {
	logs, err := l.Fetched(ctx)
	if err != nil {
		return nil, err
	}
	known := l.readTaken(fetchedDir)
	numbers := known.numbers()
	var out []Misnamed
	for _, f := range logs {
		n, ok := numbers[f.Ref]
		if f.Digest || ok && known.logs[n].unsound == "" && known.logs[n].end.commit == f.Tip {
			continue // readers of a digest report this
		}
		end, err := l.End(f.Ref) // its readers report that it cannot be read
		if err == nil && !end.Tip.IsZero() && end.Writer != f.Writer {
			out = append(out, Misnamed{f, fetchedRefs + f.Remote + "/" + end.Writer + "/events"})
		}
	}
	return out, nil
}
