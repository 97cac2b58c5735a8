// Command git-trace-serve holds the code that would slow down every hook if git-trace linked it: the server of the
// Model Context Protocol (git trace mcp), the language server (git trace lsp), the pages (git trace serve), the
// receiver of telemetry (git trace watch --otlp), the writer of Parquet and the reader of zstd.
//
// It computes no answer itself: each tool runs git-trace and returns its output. It writes only the caches of reading
// commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/klauspost/compress/zstd"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/internal/version"
	"github.com/git-trace/git-trace/serve/lsp"
	"github.com/git-trace/git-trace/serve/web"
	"github.com/git-trace/git-trace/view"
)

// verbs are the commands that start this program: VERB PROGRAM VERSION ARGUMENT…, with git-trace's path, its version,
// and the arguments of the verb.
var verbs = map[string]func(ctx context.Context, a *answers, args []string) error{
	"lsp":     serveEditor,
	"mcp":     serveTools,
	"otlp":    collect,
	"parquet": packFiles,
	"report":  drawReport,
	"serve":   servePages,
	"unzstd": func(_ context.Context, _ *answers, _ []string) error {
		return unzstd(os.Stdin, os.Stdout)
	},
}

func main() {
	fault.Tell()
	os.Exit(fault.Run(answer))
}

// answer runs the verb that the arguments name, and returns the exit status.
func answer() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	var refused *web.Refusal
	switch {
	case errors.As(err, &refused): // git-trace has printed it
		fmt.Fprintln(os.Stderr, refused.Text)
	case err != nil:
		fmt.Fprintf(os.Stderr, "git-trace: error: %v\n", err)
	default:
		return 0
	}
	return exitUnchecked
}

// exitUnchecked is git-trace's exit status if something could not be done or checked.
const exitUnchecked = 2

func run(ctx context.Context, args []string) error {
	const before = 3
	if len(args) == 1 && args[0] == "--version" {
		fmt.Println("git-trace-serve version " + version.Text())
		return nil
	}
	if len(args) < before {
		return errors.New("git-trace-serve is started by git-trace: see git trace help mcp")
	}
	verb, known := verbs[args[0]]
	if args[2] != version.Number || !known {
		return fmt.Errorf("git-trace-serve is version %s, and git-trace %s asks it for %s: install both from one source",
			version.Number, args[2], args[0])
	}
	return verb(ctx, &answers{program: args[1]}, args[before:])
}

// serveTools serves agents as an MCP server until standard input ends.
func serveTools(ctx context.Context, a *answers, _ []string) error {
	err := newServer(a).Run(ctx, &mcp.StdioTransport{})
	stopped := errors.Is(err, io.EOF) || ctx.Err() != nil
	if stopped {
		return nil
	}
	return err
}

// mostAnswer is the size in bytes of the largest answer to an editor.
const mostAnswer = 64 << 20

// serveEditor serves an editor until the editor ends the session or closes the stream.
func serveEditor(ctx context.Context, a *answers, _ []string) error {
	o := newOpener(ctx, a)
	defer o.end()
	ask := func(ctx context.Context, dir string, stdin []byte, args ...string) ([]byte, error) {
		return a.asked(dir, view.ByEditor)(ctx, stdin, args...)
	}
	return lsp.Serve(ctx, os.Stdin, os.Stdout, lsp.Host{Version: version.Number, Ask: ask, Open: o.open})
}

// unzstdMemory is the size in bytes of the largest zstd window that a stream may need.
const unzstdMemory = 256 << 20

// unzstd decompresses a zstd stream. git-trace does not link the library, because it would slow down hooks.
func unzstd(in io.Reader, out io.Writer) error {
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(unzstdMemory))
	if err != nil {
		return err
	}
	defer z.Close()
	if _, err := io.Copy(out, z); err != nil {
		return fmt.Errorf("uncompress: %w", err)
	}
	return nil
}
