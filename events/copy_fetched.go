package events

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/version"
)

// A remote may have the logs of a thousand writers, most of them small. To look at the file of each would cost a
// command more than everything else, so two files beside the copies spare it that:
//
//	fetched/joined  joined <generation> · small copies, one behind the other; bytes in it never change
//	fetched/ends    joined <generation> · a line for each log · a check sum of all before
//
// A line has the ref, the generation and the length of the copy, and what its end line says: number, id and commit.
// Last stands where the copy begins in the joined file; -1 if it is not there. Both are caches of caches. What is not
// in them is read from the copy itself.
//
// A log that is not sound has the line "! <ref> <commit> <what is wrong>". The commit names all that was read, so the
// next command need not read it again. Another version of the program may find otherwise, so "by <version>" stands
// before those.

// FetchedCopy is the copy of a fetched log, or why there is none: nothing of a damaged log is to be believed.
type FetchedCopy struct {
	FetchedLog
	Copy *Copy
	Err  error
}

// joinedCopy is the size up to which a copy is put with others into one file.
const joinedCopy = 1 << 20

// Copies opens the copies of fetched logs, as Copy does, and brings them up to date.
func (l *Log) Copies(ctx context.Context, logs []FetchedLog) ([]FetchedCopy, error) {
	if len(logs) == 0 {
		return nil, nil
	}
	known := l.readEndsKept()
	now := known
	if !known.tells(logs) {
		now = keptEnds{gen: known.gen, of: make(map[string]keptEnd, len(logs)), refused: map[string]refusal{}}
	}
	out := make([]FetchedCopy, len(logs))
	copies := make([]Copy, len(logs)) // one piece of memory, of a thousand small ones
	for i, f := range logs {
		out[i].FetchedLog = f
		if at, ok := known.of[f.Ref]; ok && at.commit == f.Tip {
			copies[i] = Copy{ref: f.Ref, gen: at.gen, end: at.flatEnd}
			out[i].Copy = &copies[i]
			now.of[f.Ref] = at
			continue
		}
		if no, ok := known.refused[f.Ref]; ok && no.commit == f.Tip {
			out[i].Err = errors.New(no.why)
			now.refused[f.Ref] = no
			continue
		}
		out[i].Copy, out[i].Err = l.Copy(ctx, f.Ref)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := out[i].Err; err != nil && !passes(err) {
			if tip, err := l.Tip(f.Ref); err == nil && tip == f.Tip {
				now.refused[f.Ref] = refusal{tip, out[i].Err.Error()}
			}
		}
		if c := out[i].Copy; out[i].Err == nil && c.Stored() == c.Size() && c.Stored() > 0 {
			now.of[f.Ref] = keptEnd{c.end, c.gen, -1}
			c.park()
		}
	}
	join := l.openJoined(&now)
	if join == nil || !maps.Equal(known.of, now.of) || !maps.Equal(known.refused, now.refused) {
		join.release()
		l.keepEnds(&now)
		join = l.openJoined(&now)
	}
	defer join.release()
	for i := range out {
		if at, ok := now.of[out[i].Ref]; ok {
			out[i].Copy.lean(l, join, at.at)
		}
	}
	return out, nil
}

// tells tells whether all is known of these very logs, and nothing of others.
func (k *keptEnds) tells(logs []FetchedLog) bool {
	for _, f := range logs {
		if at, ok := k.of[f.Ref]; ok && at.commit == f.Tip {
			continue
		}
		if no, ok := k.refused[f.Ref]; !ok || no.commit != f.Tip {
			return false
		}
	}
	return len(k.of)+len(k.refused) == len(logs)
}

// lean says where a copy that is not open is read.
func (c *Copy) lean(l *Log, join *joined, at int64) {
	c.log = l
	if join != nil && at >= 0 {
		join.users++
		c.join, c.at = join, at
	}
}

// Misnamed is a fetched log whose ref does not name the writer of its events, so that it is not read.
type Misnamed struct {
	FetchedLog
	True string // the ref that would name its writer
}

// Misnamed lists the fetched logs whose refs do not name their writers. It reads last events and no others, and none of
// a log whose copy is at hand: that was held against its name.
func (l *Log) Misnamed(ctx context.Context) ([]Misnamed, error) {
	logs, err := l.Fetched(ctx)
	if err != nil {
		return nil, err
	}
	known := l.readEndsKept()
	var out []Misnamed
	for _, f := range logs {
		if at, ok := known.of[f.Ref]; f.Digest || ok && at.commit == f.Tip {
			continue // of a digest those who read it tell
		}
		end, err := l.End(f.Ref) // what cannot be read is told by those who read it
		if err == nil && !end.Tip.IsZero() && end.Writer != f.Writer {
			out = append(out, Misnamed{f, fetchedRefs + f.Remote + "/" + end.Writer + "/events"})
		}
	}
	return out, nil
}

// joined is the open file of many copies, which the last of them closes.
type joined struct {
	file  *os.File
	users int
	lines int // that were read one by one
	text  []byte
}

// Where many lines of a file that is not large are read, it is read once.
const (
	manyLines = 64
	notLarge  = 8 << 20
)

// whole is the text of the file, once many lines of it were read; nil until then. Nobody writes in it.
func (j *joined) whole() []byte {
	if j.lines++; j.lines != manyLines {
		return j.text
	}
	if info, err := j.file.Stat(); err == nil && info.Size() <= notLarge {
		text := make([]byte, info.Size())
		if _, err := j.file.ReadAt(text, 0); err == nil {
			j.text = text
		}
	}
	return j.text
}

func (j *joined) release() {
	if j == nil {
		return
	}
	if j.users--; j.users == 0 {
		_ = j.file.Close()
	}
}

// keptEnds is what the file of ends says.
type keptEnds struct {
	gen     string // of the joined file
	of      map[string]keptEnd
	refused map[string]refusal
}

// refusal is why the log that a commit holds is not read.
type refusal struct {
	commit refs.OID
	why    string
}

// keptEnd is where a stored copy ends.
type keptEnd struct {
	flatEnd
	gen string
	at  int64 // in the joined file; -1 where it is not there
}

func (l *Log) endsPath() string   { return filepath.Join(l.cacheDir(), "fetched", "ends") }
func (l *Log) joinedPath() string { return filepath.Join(l.cacheDir(), "fetched", "joined") }

func joinedHeader(gen string) string { return "joined " + gen + "\n" }

// openJoined opens the joined file if it is the one that the ends speak of, and long enough for them.
func (l *Log) openJoined(ends *keptEnds) *joined {
	if ends.gen == "" {
		return nil
	}
	var size int64
	for _, e := range ends.of {
		if e.at >= 0 {
			size = max(size, e.at+e.offset)
		}
	}
	f, err := openBuild(l.joinedPath(), joinedHeader(ends.gen), size)
	if err != nil {
		return nil
	}
	return &joined{file: f, users: 1}
}

// keepEnds joins the small copies that are not joined yet, and writes the ends. What cannot be written is left.
func (l *Log) keepEnds(ends *keptEnds) {
	lock, err := refs.Flock(l.joinedPath()+".lock", 0)
	if err != nil {
		return // another process does it
	}
	defer lock.Unlock()
	if f := l.growJoined(ends); f != nil {
		l.joinCopies(f, ends)
		_ = f.Close()
	}
	_ = refs.WriteFileAtomic(l.endsPath(), ends.format(), 0o666)
}

// joinCopies puts the small copies behind what the joined file has, as far as they can be read and written.
func (l *Log) joinCopies(f *os.File, ends *keptEnds) {
	at, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return
	}
	for ref, e := range ends.of {
		if e.at >= 0 || e.offset > joinedCopy {
			continue
		}
		text, err := os.ReadFile(l.copyPath(ref))
		if err != nil || int64(len(text)) < e.offset {
			continue
		}
		if _, err := f.Write(text[:e.offset]); err != nil {
			return
		}
		e.at, at = at, at+e.offset
		ends.of[ref] = e
	}
}

// growJoined opens the joined file for more, or begins it anew when it is none or mostly of what is no longer wanted.
func (l *Log) growJoined(ends *keptEnds) *os.File {
	if join := l.openJoined(ends); join != nil {
		defer join.release()
		var live int64
		for _, e := range ends.of {
			if e.at >= 0 {
				live += e.offset
			}
		}
		if info, err := join.file.Stat(); err == nil && info.Size() <= 2*live+joinedCopy {
			if f, err := os.OpenFile(l.joinedPath(), os.O_WRONLY, 0); err == nil {
				return f
			}
		}
	}
	for ref, e := range ends.of {
		e.at = -1
		ends.of[ref] = e
	}
	ends.gen = newGeneration()
	if err := refs.WriteFileAtomic(l.joinedPath(), []byte(joinedHeader(ends.gen)), 0o666); err != nil {
		ends.gen = ""
		return nil
	}
	f, err := os.OpenFile(l.joinedPath(), os.O_WRONLY, 0)
	if err != nil {
		return nil
	}
	return f
}

func (k *keptEnds) format() []byte {
	var out strings.Builder
	out.WriteString(joinedHeader(k.gen))
	for ref, e := range k.of {
		fmt.Fprintf(&out, "%s %s %d %d %s %s %d\n", ref, e.gen, e.offset, e.seq, e.id, e.commit, e.at)
	}
	if len(k.refused) > 0 {
		out.WriteString(refusedBy())
	}
	for ref, no := range k.refused {
		fmt.Fprintf(&out, "! %s %s %q\n", ref, no.commit, no.why)
	}
	return []byte(out.String() + checkSum(out.String()) + "\n")
}

// readEndsKept reads what format wrote; anything else is nothing.
func (l *Log) readEndsKept() (k keptEnds) {
	raw, err := refs.ReadFile(l.endsPath())
	if err != nil {
		return keptEnds{}
	}
	lines := strings.TrimSuffix(string(raw), "\n")
	last := strings.LastIndexByte(lines, '\n') + 1
	if checkSum(lines[:last]) != lines[last:] {
		return keptEnds{}
	}
	head, lines, _ := strings.Cut(lines[:last], "\n")
	k = keptEnds{gen: strings.TrimPrefix(head, "joined "), of: make(map[string]keptEnd, strings.Count(lines, "\n")),
		refused: map[string]refusal{}}
	lines, refused, _ := strings.Cut(lines, refusedBy())
	for line := range strings.Lines(refused) {
		k.takeRefusal(line)
	}
	for line := range strings.Lines(lines) {
		if strings.HasPrefix(line, "by ") { // another version, and the last that is said of sound logs
			break
		}
		ref, e, ok := parseKeptEnd(line)
		if !ok {
			return keptEnds{}
		}
		k.of[ref] = e
	}
	return k
}

func refusedBy() string { return "by " + version.Text() + "\n" }

// takeRefusal reads a line of what is not sound. One that has another form says nothing.
func (k *keptEnds) takeRefusal(line string) {
	fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
	if len(fields) < 4 {
		return
	}
	commit, err := refs.ParseOID(fields[2])
	why, quoteErr := strconv.Unquote(fields[3])
	if err == nil && quoteErr == nil {
		k.refused[fields[1]] = refusal{commit, why}
	}
}

func parseKeptEnd(line string) (ref string, e keptEnd, ok bool) {
	var fields [7]string
	rest := strings.TrimSuffix(line, "\n")
	for i := range fields {
		fields[i], rest, ok = strings.Cut(rest, " ")
		if ok != (i < len(fields)-1) {
			return "", e, false
		}
	}
	if checkWriter(fields[1]) != nil {
		return "", e, false
	}
	var errs [5]error
	e.gen = fields[1]
	e.offset, errs[0] = strconv.ParseInt(fields[2], 10, 64)
	e.seq, errs[1] = strconv.ParseInt(fields[3], 10, 64)
	e.id, errs[2] = ParseID(fields[4])
	e.commit, errs[3] = refs.ParseOID(fields[5])
	e.at, errs[4] = strconv.ParseInt(fields[6], 10, 64)
	for _, err := range errs {
		if err != nil {
			return "", e, false
		}
	}
	return fields[0], e, e.offset > 0 && e.seq > 0 && e.at >= -1
}
