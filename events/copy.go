package events

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/zeebo/blake3"
)

// Copy is a log laid flat, for reading at random: the lines of all events one behind the other, addressed by offset.
// For the own log it is the log's file. For others it is a cache below <common>/traces/cache, brought up to date when
// it is opened. What cannot be written there is held in memory instead: the directory may be read-only, or another
// process at it. Close it.
//
// Every batch in it was hashed and chained when it was copied; the objects are not looked at again.
type Copy struct {
	// Notes say what kept the copy from holding the whole log.
	Notes []string

	keptEnd           // which log it is of, and where the file ends; offsets hold for the build gen alone
	own     bool      // it is the own log itself
	file    *os.File  // nil when all is in memory, or nobody has read in it yet; see reader
	log     *Log      // of a copy whose file is opened when it is read, see Copies
	join    *joined   // where the stored part lies with others in one file
	tail    *copyTail // what follows the file's end in memory; nil for nothing
}

// copyTail is the part of a copy that is in memory.
type copyTail struct {
	text []byte
	end  flatEnd
}

// lockPatience is how long a reader waits for another process that is bringing the copy up to date.
const lockPatience = 100 * time.Millisecond

// Copy opens the copy of the log on a ref (refs.EventsRef for the own one) and brings it up to date. A log that does
// not exist gives an empty copy. A damaged own log gives what could be read of it and a note; a damaged fetched log is
// an error, for nothing of it is to be believed.
func (l *Log) Copy(ctx context.Context, ref string) (*Copy, error) {
	c, err := l.openCopy(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("copy log %s: %w", ref, err)
	}
	return c, nil
}

func (l *Log) openCopy(ctx context.Context, ref string) (*Copy, error) {
	if ref == refs.EventsRef {
		if c, err := l.copyOwn(ctx); c != nil || err != nil {
			return c, err
		}
	}
	return l.copyOfRef(ctx, ref)
}

// copyOfRef copies what a ref names.
func (l *Log) copyOfRef(ctx context.Context, ref string) (*Copy, error) {
	tip, err := l.Tip(ref)
	if err != nil {
		return nil, err
	}
	c := &Copy{keptEnd: keptEnd{ref: ref}}
	if tip.IsZero() {
		return c, nil
	}
	path := l.copyPath(ref)
	c.load(path, l.repo.Format)
	if c.end.commit == tip {
		return c, nil
	}
	lock, err := refs.Flock(path+".lock", lockPatience)
	if err == nil {
		defer lock.Unlock()
		c.load(path, l.repo.Format) // another process may have been quicker
		if c.end.commit != tip {
			err = l.extendFile(ctx, c, path, tip)
		}
	}
	if err != nil {
		// The file cannot be written, or only to a point: the rest of the log goes into memory.
		err = l.extendMemory(ctx, c, tip)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (l *Log) copyPath(ref string) string {
	if ref == refs.EventsRef {
		return filepath.Join(l.cacheDir(), "events.log")
	}
	sum := blake3.Sum256([]byte(ref))
	return filepath.Join(l.cacheDir(), "fetched", hex.EncodeToString(sum[:8])+".log")
}

// ForgetCopies deletes the cache of all logs. Whoever reads one goes on with what it has open.
func (l *Log) ForgetCopies() error {
	for _, name := range []string{"events.log", "fetched", "checked"} {
		if err := os.RemoveAll(filepath.Join(l.cacheDir(), name)); err != nil {
			return fmt.Errorf("forget copies: %w", err)
		}
	}
	return nil
}

// ForgetFetched deletes the copies of the logs that were fetched.
func (l *Log) ForgetFetched() error {
	if err := os.RemoveAll(filepath.Join(l.cacheDir(), "fetched")); err != nil {
		return fmt.Errorf("forget copies: %w", err)
	}
	return nil
}

// load opens the file, if it is a sound one, in the place of what c had.
func (c *Copy) load(path string, format refs.ObjectFormat) {
	c.unload()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		if f, err = os.Open(path); err != nil {
			return
		}
	}
	gen, end, _, err := readEnds(f, copyHeader(format, c.ref))
	if err != nil {
		_ = f.Close()
		return
	}
	c.file, c.gen, c.end = f, gen, end
}

func (c *Copy) unload() {
	c.Close()
	c.file, c.gen, c.end = nil, "", flatEnd{}
}

// extendFile appends the batches between the file's end and the tip. It builds the file anew when the file's end does
// not lie on the way to the tip. Only sound batches are stored, and of a fetched log only whole seals. The caller holds
// the file's lock.
func (l *Log) extendFile(ctx context.Context, c *Copy, path string, tip refs.OID) error {
	if c.file != nil {
		err := l.appendToFile(ctx, c, tip)
		if !errors.Is(err, errForked) {
			return err
		}
	}
	err := l.buildFile(ctx, c, path, tip)
	if err != nil && !isBroken(err) {
		c.unload()
	}
	return err
}

func (l *Log) buildFile(ctx context.Context, c *Copy, path string, tip refs.OID) error {
	fresh := path + ".new"
	header := copyHeader(l.repo.Format, c.ref) + newGeneration() + "\n"
	if err := refs.WriteFileAtomic(fresh, []byte(header), 0o666); err != nil {
		return err
	}
	c.load(fresh, l.repo.Format)
	if c.file == nil {
		return fmt.Errorf("open %s: %w", filepath.Base(fresh), ErrCopyDamaged)
	}
	err := l.appendToFile(ctx, c, tip)
	if err != nil && (!isBroken(err) || c.ref != refs.EventsRef) {
		_ = os.Remove(fresh)
		return err
	}
	if renameErr := os.Rename(fresh, path); renameErr != nil {
		_ = os.Remove(fresh)
		return renameErr
	}
	return err
}

func (l *Log) appendToFile(ctx context.Context, c *Copy, tip refs.OID) error {
	// What lies behind the last whole batch was left by a killed process.
	if err := c.file.Truncate(c.end.offset); err != nil {
		return err
	}
	if _, err := c.file.Seek(c.end.offset, io.SeekStart); err != nil {
		return err
	}
	w := bufio.NewWriterSize(c.file, 1<<20)
	end, err := l.copySound(ctx, c.ref, c.end, tip, w)
	if flushErr := w.Flush(); flushErr != nil {
		return flushErr
	}
	if err == nil || c.ref == refs.EventsRef { // of a damaged log of others, nothing is kept
		c.end = end
	}
	return err
}

// extendMemory reads the batches between the file's end and the tip into memory; when the file does not lie on the way,
// all of them. Of a damaged own log it keeps the events that are sound in themselves, and notes the damage.
func (l *Log) extendMemory(ctx context.Context, c *Copy, tip refs.OID) error {
	var text bytes.Buffer
	end, err := l.copySound(ctx, c.ref, c.end, tip, &text)
	if errors.Is(err, errForked) && c.file != nil {
		c.unload()
		text.Reset()
		end, err = l.copySound(ctx, c.ref, c.end, tip, &text)
	}
	if isBroken(err) && c.ref == refs.EventsRef {
		c.Notes = append(c.Notes, err.Error())
		text.Reset()
		end, err = l.copySealedRest(c.end, tip, &text)
	}
	c.tail = &copyTail{text: text.Bytes(), end: end}
	return err
}

// Close releases the file.
func (c *Copy) Close() {
	c.join.release()
	c.join = nil
	if c.file != nil {
		_ = c.file.Close()
	}
}

// reader is the file. One that is not open is opened, and must be the build that it was.
func (c *Copy) reader() (io.ReaderAt, error) {
	if c.join != nil {
		return io.NewSectionReader(c.join.file, c.at, c.end.offset), nil
	}
	if c.file != nil || c.log == nil {
		return c.file, nil
	}
	f, err := openBuild(c.log.copyPath(c.ref), copyHeader(c.log.repo.Format, c.ref)+c.gen+"\n", c.end.offset)
	if err != nil {
		return nil, err
	}
	c.file = f
	return f, nil
}

// Digest tells that the log is one that was published, with a part of the events.
func (c *Copy) Digest() bool {
	f, _ := parseFetched(c.ref)
	return f.Digest
}

// Ref is the log that the copy is of.
func (c *Copy) Ref() string { return c.ref }

// Last is the number of the last event.
func (c *Copy) Last() int64 { return c.last().seq }

// LastID is the id of its last event; "" for none.
func (c *Copy) LastID() ID { return c.last().id }

// Tip is the commit up to which the copy goes.
func (c *Copy) Tip() refs.OID { return c.last().commit }

func (c *Copy) last() flatEnd {
	if c.tail != nil && c.tail.end.offset > 0 {
		return c.tail.end
	}
	return c.end
}

// Generation names the build of the stored part; offsets below Stored hold for it alone. It is empty when nothing is
// stored.
func (c *Copy) Generation() string { return c.gen }

// Stored is the offset at which the part on disk ends and the part in memory begins.
func (c *Copy) Stored() int64 { return c.end.offset }

// Size is the offset behind the last line.
func (c *Copy) Size() int64 { return c.end.offset + int64(len(c.inMemory())) }

// inMemory is the text of what follows the stored part.
func (c *Copy) inMemory() []byte {
	if c.tail == nil {
		return nil
	}
	return c.tail.text
}

// ErrCopyDamaged reports that the stored copy is not what it was; ForgetCopies makes the next Copy build it anew.
var ErrCopyDamaged = errors.New("cached copy of the log is damaged")

// Line reads the line at an offset that Scan gave.
func (c *Copy) Line(offset int64, length int) ([]byte, error) {
	if offset < 0 || length < 0 || length > MaxEvent || offset+int64(length) > c.Size() {
		return nil, ErrCopyDamaged
	}
	if offset >= c.end.offset {
		at := offset - c.end.offset
		return c.inMemory()[at : at+int64(length)], nil
	}
	if c.join != nil {
		if text := c.join.whole(); int64(len(text)) >= c.at+c.end.offset {
			return text[c.at+offset:][:length:length], nil
		}
	}
	file, err := c.reader()
	if err != nil {
		return nil, err
	}
	line := make([]byte, length)
	if _, err := file.ReadAt(line, offset); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCopyDamaged, err)
	}
	return line, nil
}

// CopyLine is an event in a copy.
type CopyLine struct {
	Offset int64
	Line   []byte // without its line feed; the next one may overwrite it
}

// Scan gives the lines of events from an offset on: 0, or what Stored or Size was for the same generation.
func (c *Copy) Scan(from int64) iter.Seq2[CopyLine, error] {
	return func(yield func(CopyLine, error) bool) {
		if from < 0 || from > c.Size() {
			yield(CopyLine{}, ErrCopyDamaged)
			return
		}
		var parts []io.Reader
		if from < c.end.offset {
			parked := c.file == nil && c.join == nil
			file, err := c.reader()
			if err != nil {
				yield(CopyLine{}, err)
				return
			}
			if parked { // whoever scans a thousand logs has one open at a time
				defer func() { c.Close(); c.file = nil }()
			}
			parts = append(parts, io.NewSectionReader(file, from, c.end.offset-from))
		}
		parts = append(parts, bytes.NewReader(c.inMemory()[max(0, from-c.end.offset):]))
		in := bufio.NewReaderSize(io.MultiReader(parts...), int(min(c.Size()-from, MaxEvent)+1))
		for offset := from; ; {
			line, err := in.ReadSlice('\n')
			if errors.Is(err, io.EOF) && len(line) == 0 {
				return
			}
			if err != nil {
				yield(CopyLine{}, fmt.Errorf("%w: %w", ErrCopyDamaged, err))
				return
			}
			if line[0] == '{' && !yield(CopyLine{offset, line[:len(line)-1]}, nil) {
				return
			}
			offset += int64(len(line))
		}
	}
}

// storedLines reads the stored lines that begin at an offset or later, and before another one, as one text. It tells
// where that begins. The text lies in the buffer, which grows as it has to.
func (c *Copy) storedLines(buf *[]byte, from, to int64) (text []byte, at int64, err error) {
	file, err := c.reader()
	if err != nil {
		return nil, 0, err
	}
	to = min(to, c.end.offset)
	begin := max(0, from-1) // whether a line begins at from, the byte before it says
	for room := int64(4 << 10); ; room *= 8 {
		end := min(to+room, c.end.offset)
		if n := end - begin; int64(cap(*buf)) < n {
			*buf = make([]byte, n)
		}
		text := (*buf)[:end-begin]
		if _, err := file.ReadAt(text, begin); err != nil {
			return nil, 0, fmt.Errorf("%w: %w", ErrCopyDamaged, err)
		}
		last := bytes.IndexByte(text[to-1-begin:], '\n')
		if last < 0 && end < c.end.offset && room <= MaxEvent {
			continue
		}
		if last < 0 {
			return nil, 0, ErrCopyDamaged
		}
		text = text[:to-begin+int64(last)]
		if from > 0 {
			head, rest, _ := bytes.Cut(text, newline)
			return rest, begin + int64(len(head)+1), nil
		}
		return text, 0, nil
	}
}

// Event gives an event by its number; false if there is none.
func (c *Copy) Event(seq int64) (Event, bool, error) {
	at := int64(0)
	for line, err := range c.Scan(0) {
		if err != nil {
			return Event{}, false, err
		}
		if at++; at == seq {
			e, err := DecodeLine(bytes.Clone(line.Line))
			return e, err == nil && e.Seq == seq, err
		}
	}
	return Event{}, false, nil
}

// Continues tells whether a log begins with all that another copy holds.
func (c *Copy) Continues(o *Copy) (bool, error) {
	if c == o || c.Tip() == o.Tip() {
		return true, nil
	}
	at, found, err := c.Event(o.Last())
	return found && at.ID == o.LastID(), err
}
