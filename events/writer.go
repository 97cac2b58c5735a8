package events

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Writer returns the id of this clone, or "" before the first append.
func (l *Log) Writer() (string, error) {
	text, err := refs.ReadFile(l.writerPath())
	if os.IsNotExist(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read writer id: %w", err)
	}
	writer := strings.TrimSuffix(string(text), "\n")
	if err := checkWriter(writer); err != nil {
		return "", fmt.Errorf("read writer id: %w", err)
	}
	return writer, nil
}

func (l *Log) writerPath() string { return filepath.Join(l.repo.TracesDir(), "writer") }

// settleWriter finds the writer under the append lock: the writer of the existing log, even if the file has another
// one, because a log has one writer. For a new log it reads the writer from the file, which is made if necessary. A
// damaged file is made again.
func (l *Log) settleWriter(logged string) (string, error) {
	noted, err := l.Writer()
	if err == nil && noted != "" && (logged == "" || logged == noted) {
		return noted, nil
	}
	writer := logged
	if writer == "" {
		writer = newWriter()
	}
	if err := refs.WriteFileAtomic(l.writerPath(), []byte(writer+"\n"), 0o666); err != nil {
		return "", err
	}
	return writer, nil
}
