package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records/redact/configured"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/serve/web"
)

// exportPages writes the pages of a range into a directory, after it has listed their contents.
func exportPages(ctx context.Context, repo *refs.Repo, site *web.Site, dir, span string, ask bool) error {
	if err := web.Free(dir); err != nil {
		return err
	}
	redactor, err := configured.Redactor(ctx, repo)
	if err != nil {
		return err
	}
	var mutex sync.Mutex // a redactor remembers what it saw
	export, err := site.Plan(ctx, span, func(ctx context.Context, text string) (string, error) {
		mutex.Lock()
		defer mutex.Unlock()
		out, _, err := redactor.Text(ctx, text)
		return out, err
	})
	if err != nil {
		return err
	}
	sayExport(export, dir)
	if ask {
		fmt.Fprint(os.Stderr, "write that? [y/N] ")
		line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
			fmt.Fprintln(os.Stderr, "nothing was written")
			return nil
		}
	}
	pages, err := export.Write(ctx, dir)
	if err != nil {
		return fmt.Errorf("export pages: %w", err)
	}
	fmt.Printf("%s written; the first is %s\n", numbers.Count(pages, "page"), filepath.Join(dir, "index.html"))
	return nil
}

// sayExport lists what would leave.
func sayExport(export *web.Export, dir string) {
	c := export.Contents()
	span, tip := export.Range()
	fmt.Fprintf(os.Stderr, "into %s; whoever can read the pages will read this\n", dir)
	fmt.Fprintf(os.Stderr, "  commits        %s of %s: messages, authors, differences\n",
		numbers.Count(c.Commits, "commit"), span)
	fmt.Fprintf(os.Stderr, "  files          %s as they are in %.7s, with who wrote each line\n",
		numbers.Count(c.Files, "file"), tip)
	fmt.Fprintf(os.Stderr, "  conversations  %s, with what was said in %s, redacted,\n"+
		"                 and what became of each edit\n", numbers.Thousands(c.Talks), numbers.Thousands(c.Talks-c.Silent))
	fmt.Fprintln(os.Stderr, "  stays here     prompts that are in no record, snapshots, the log,\n"+
		"                 what is in no commit of these")
}
