package events

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// child is what the test binary does when the tests start it again: it appends batches of two events to the repository
// named in the environment, reports each acknowledged one on standard output, and seals the log if that is asked for.
func child() int {
	repo, err := refs.DiscoverHook(os.Getenv("EVENTS_TEST_CHILD"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	appends, _ := strconv.Atoi(os.Getenv("EVENTS_TEST_APPENDS"))
	who, _ := strconv.Atoi(os.Getenv("EVENTS_TEST_WHO"))
	repo.Fsync = os.Getenv("EVENTS_TEST_FSYNC") != ""
	log := OpenLog(repo)
	if os.Getenv("EVENTS_TEST_COPY") != "" {
		_, err := log.Copy(context.Background(), refs.EventsRef)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return 0
	}
	for i := range appends {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		began := time.Now()
		events, err := log.Append(ctx, []Draft{promptDraft(1_000_000*who + 2*i), promptDraft(1_000_000*who + 2*i + 1)})
		cancel()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		for _, e := range events {
			if e.Type == PromptSubmitted {
				fmt.Println(string(e.ID), time.Since(began).Microseconds())
			}
		}
	}
	if os.Getenv("EVENTS_TEST_SEAL") != "" {
		if _, err := log.Seal(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	return 0
}

// ack is an event that a child has acknowledged, and how long the append took.
type ack struct {
	id   ID
	took time.Duration
}

// startChild starts an appending process and sends each event it acknowledges to acked.
func startChild(t testing.TB, dir string, who, appends int, acked chan<- ack) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "EVENTS_TEST_CHILD="+dir, fmt.Sprint("EVENTS_TEST_WHO=", who), fmt.Sprint("EVENTS_TEST_APPENDS=", appends))
	cmd.Stderr = os.Stderr
	ownGroup(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			id, micros, _ := strings.Cut(lines.Text(), " ")
			n, _ := strconv.Atoi(micros)
			acked <- ack{ID(id), time.Duration(n) * time.Microsecond}
		}
		close(acked)
	}()
	return cmd
}
