package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/git-trace/git-trace/internal/fault"
)

// interrupts are the signals with which a person ends a command: Ctrl-C, or kill. The first one lets the command end in
// order, so that locks and temporary files are removed. If the command does not end in a moment, or at a second signal,
// the process exits.
type interrupts struct {
	signals chan os.Signal
	got     atomic.Int32 // the number of the received signal; 0 for none
	away    atomic.Bool
}

// interruptGrace is the time that a command has to end in order.
const interruptGrace = time.Second

// exitSignalled is the number that a shell adds to the signal that ended a command.
const exitSignalled = 128

// listen begins to heed signals. The context ends with the first one.
func (i *interrupts) listen(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	i.signals = make(chan os.Signal, 2)
	signal.Notify(i.signals, os.Interrupt, syscall.SIGTERM)
	fault.Go(func() {
		for s := range i.signals {
			if i.away.Load() {
				continue
			}
			if !i.got.CompareAndSwap(0, signalNumber(s)) {
				os.Exit(i.status())
			}
			cancel()
			time.AfterFunc(interruptGrace, fault.In(func() { os.Exit(i.status()) }))
		}
	})
	return ctx, func() {
		signal.Stop(i.signals)
		cancel()
	}
}

// leave leaves signals to another program that has the terminal now.
func (i *interrupts) leave() { i.away.Store(true) }

// status returns the exit status of an interrupted command, otherwise 0.
func (i *interrupts) status() int {
	if n := i.got.Load(); n != 0 {
		return exitSignalled + int(n)
	}
	return 0
}

func signalNumber(s os.Signal) int32 {
	if n, ok := s.(syscall.Signal); ok {
		return int32(n)
	}
	return int32(syscall.SIGINT)
}
