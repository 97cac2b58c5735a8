package terminal

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/git-trace/git-trace/internal/fault"
)

// Interrupts handles the signals with which a person ends a command: Ctrl-C, or kill. After the first one the command
// ends in order, and removes its locks and temporary files. If it does not end within a moment, or at a second signal,
// the process exits.
type Interrupts struct {
	signals chan os.Signal
	got     atomic.Int32 // number of the received signal; 0 for none
	away    atomic.Bool
}

// Grace is the time that an interrupted command has to end in order.
const Grace = time.Second

// exitSignalled is the exit status in a shell for signal 0: the number of the signal is added.
const exitSignalled = 128

// Listen starts to handle signals. The first one ends the context. The caller calls the result when the command has
// ended.
func (i *Interrupts) Listen(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	i.signals = make(chan os.Signal, 2)
	signal.Notify(i.signals, os.Interrupt, syscall.SIGTERM)
	var late atomic.Pointer[time.Timer]
	fault.Go(func() {
		for s := range i.signals {
			if i.away.Load() {
				continue
			}
			if !i.got.CompareAndSwap(0, signalNumber(s)) {
				os.Exit(i.Status())
			}
			late.Store(time.AfterFunc(Grace, fault.In(func() { os.Exit(i.Status()) })))
			cancel()
		}
	})
	return ctx, func() {
		signal.Stop(i.signals)
		cancel()
		if timer := late.Load(); timer != nil {
			timer.Stop() // the command has ended in order
		}
	}
}

// Leave makes this program ignore signals from now on: another program owns the terminal.
func (i *Interrupts) Leave() { i.away.Store(true) }

// Status returns the exit status of an interrupted command; 0 if it was not interrupted.
func (i *Interrupts) Status() int {
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
