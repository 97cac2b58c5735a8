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

// interrupts handles the signals with which a person ends a command: Ctrl-C, or kill. After the first one the command
// ends in order, and removes its locks and temporary files. If it does not end within a moment, or at a second signal,
// the process exits.
type interrupts struct {
	signals chan os.Signal
	got     atomic.Int32 // number of the received signal; 0 for none
	away    atomic.Bool
}

// interruptGrace is the time that an interrupted command has to end in order.
const interruptGrace = time.Second

// exitSignalled is the exit status in a shell for signal 0: the number of the signal is added.
const exitSignalled = 128

// listen starts to handle signals. The first one ends the context.
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

// leave makes this program ignore signals from now on: another program owns the terminal.
func (i *interrupts) leave() { i.away.Store(true) }

// status returns the exit status of an interrupted command; 0 if it was not interrupted.
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
