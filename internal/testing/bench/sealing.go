package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// The limits for a seal, which a background process makes at the end of each turn.
const (
	sealTime   = 10  // ms of processor time, without the start of the process
	sealGrowth = 1.3 // factor for a log ten times as long
	sealDisk   = 6   // KB after git gc, including the events of a turn
	mostHaves  = 32
	plainStart = "git-trace --version"
)

// sealing measures the ref of a log with a number of events and seals.
func sealing(logged, seals int) scenario {
	name := size(logged) + " events"
	return scenario{
		name: "seal, " + name,
		rows: []row{
			{"processor time of a seal without the start of the program, " + name, "seal", plainStart, extraWork, sealTime},
			{"seal, " + name, "seal", "seal, " + size(logged/10) + " events", work, sealGrowth},
			{"KB of a turn and its seal after git gc", "disk", "", count, sealDisk},
			{fmt.Sprintf("haves of a fetch of one commit beside %s seals", size(seals)), "haves", "", count, mostHaves},
		},
		prepare: func(b *bench) (func(int, *recorder) error, error) { return b.prepareSealing(logged, seals) },
	}
}

func (b *bench) prepareSealing(logged, seals int) (func(int, *recorder) error, error) {
	short, err := b.turnsOf(logged / 10)
	if err != nil {
		return nil, err
	}
	long, err := b.turnsOf(logged)
	if err != nil {
		return nil, err
	}
	return func(i int, r *recorder) error {
		if i == 0 {
			if err := b.countSeals(r, long, seals); err != nil {
				return err
			}
		}
		for _, l := range []*logWriter{short, long} {
			if err := l.turn(); err != nil {
				return err
			}
		}
		if err := r.run(plainStart, b.trace(long.dir, "--version")); err != nil {
			return err
		}
		return inTurn(i,
			func() error { return short.seal(r, "seal, "+size(logged/10)+" events") },
			func() error { return long.seal(r, "seal") },
		)
	}, nil
}

// turnsOf returns a writer that adds turns to a sealed log with this many events.
func (b *bench) turnsOf(logged int) (*logWriter, error) {
	made, err := b.history(quickCommits, logged)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(b.root, "sealed-"+size(logged))
	if err := copyTree(dir, made); err != nil {
		return nil, err
	}
	repo, err := refs.Discover(dir)
	if err == nil { // sealing needs a recorded repository
		_, err = b.startAgent(dir)
	}
	if err != nil {
		return nil, err
	}
	l := &logWriter{bench: b, dir: dir, log: events.OpenLog(repo), left: 1 << 30, rng: rand.New(rand.NewPCG(5, 5)),
		session: "sealed", at: time.Date(2025, 1, 1, 9, 0, 0, 0, time.UTC)}
	_, err = l.log.Seal(b.ctx)
	return l, err
}

// seal measures the background process of hooks, and checks that it sealed all events.
func (l *logWriter) seal(r *recorder, name string) error {
	err := r.run(name, l.bench.trace(l.dir, "git-hook", "seal"))
	if left := l.log.Unsealed(); err == nil && left > 0 {
		err = fmt.Errorf("%d events are not sealed", left)
	}
	return err
}

// countSeals adds turns, each with a seal, and measures their size on disk, and the number of haves in a fetch of one
// further commit.
func (b *bench) countSeals(r *recorder, l *logWriter, seals int) error {
	packed := func() (bytes int64, err error) {
		if err := b.check(b.git(l.dir, "gc", "-q")); err != nil {
			return 0, err
		}
		err = filepath.WalkDir(filepath.Join(l.dir, ".git", "objects"), func(_ string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				var info fs.FileInfo
				if info, err = d.Info(); err == nil {
					bytes += info.Size()
				}
			}
			return err
		})
		return bytes, err
	}
	before, err := packed()
	if err != nil {
		return err
	}
	for range seals {
		if err := l.turn(); err != nil {
			return err
		}
		if _, err := l.log.Seal(context.Background()); err != nil {
			return err
		}
	}
	after, err := packed()
	if err != nil {
		return err
	}
	r.set("disk", float64(after-before)/float64(seals)/1000)
	haves, err := b.countHaves(l.dir)
	r.set("haves", float64(haves))
	return err
}

// countHaves counts the commits that a fetch of one new commit sends to the remote as "have" lines
// (gitprotocol-pack(5)).
func (b *bench) countHaves(dir string) (int, error) {
	remote, other := filepath.Join(b.root, "seals.git"), filepath.Join(b.root, "seals-other")
	for _, old := range []string{remote, other} {
		if err := os.RemoveAll(old); err != nil {
			return 0, err
		}
	}
	packets := filepath.Join(b.root, "packets")
	if err := os.RemoveAll(packets); err != nil {
		return 0, err
	}
	fetch := b.git(dir, "fetch", "-q", "file://"+remote, "main")
	fetch.Env = append(os.Environ(), "GIT_TRACE_PACKET="+packets)
	for _, step := range []func() error{
		func() error { return b.check(b.git(dir, "init", "-q", "--bare", remote)) },
		func() error { return b.check(b.git(dir, "push", "-q", remote, "main")) },
		func() error { return b.check(b.git(b.root, "clone", "-q", "-b", "main", remote, other)) },
		func() error { return b.check(b.git(other, "commit", "-q", "--allow-empty", "-m", "new")) },
		func() error { return b.check(b.git(other, "push", "-q", "origin", "main")) },
		func() error { return b.check(fetch) },
	} {
		if err := step(); err != nil {
			return 0, err
		}
	}
	text, err := os.ReadFile(packets)
	return bytes.Count(text, []byte("fetch> have ")), err
}
