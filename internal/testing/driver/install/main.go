// Command install installs clients of coding agents, in the versions for which the tests were written, into the
// directory in which the tests search.
//
//	go run ./internal/testing/driver/install claude    install one or several
//	go run ./internal/testing/driver/install           list what is known and what is installed
//
// The directory is $GITTRACE_AGENTS, or git-trace-agents in the user's cache.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "install: error: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return list()
	}
	root, err := driver.Root()
	if err != nil {
		return err
	}
	clients := make([]driver.Client, len(names))
	for i, name := range names {
		if strings.HasPrefix(name, "-") {
			return fmt.Errorf("no option %s; usage: install [CLIENT...]", name)
		}
		if clients[i], err = driver.ClientNamed(name); err != nil {
			return err
		}
	}
	for _, c := range clients {
		path, err := driver.Install(ctx, c, root, os.Stderr)
		if err != nil {
			return err
		}
		fmt.Printf("%s\t%s\t%s\n", c.Name, c.Version, path)
	}
	return nil
}

func list() error {
	for _, c := range driver.Clients() {
		path, reason := driver.Find(c.Name)
		if path == "" {
			path = reason
		}
		fmt.Printf("%s\t%s@%s\t%s\n", c.Name, c.Package, c.Version, path)
	}
	return nil
}
