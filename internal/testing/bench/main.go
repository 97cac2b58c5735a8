package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
)

// options holds the options of the command line.
type options struct {
	json, markdown, quick, million, list bool
	rounds, most                         int // rounds of each measurement: the least; the most for short ones
	only, dir                            string
}

// errMissed ends the program if a promise is not kept.
var errMissed = errors.New("not every budget is kept")

func main() {
	if len(os.Args) > 3 {
		switch os.Args[1] { // this program as its own child
		case appenderArg:
			os.Exit(appendMany(os.Args[2], os.Args[3]))
		case peakArg:
			os.Exit(printPeak(os.Args[2:]))
		}
	}
	var o options
	flag.BoolVar(&o.json, "json", false, "print JSON")
	flag.BoolVar(&o.markdown, "markdown", false, "print a table for a page")
	flag.BoolVar(&o.quick, "quick", false, "use smaller repositories and logs")
	flag.BoolVar(&o.million, "million", false, "also verify a log of a million events, which takes minutes to make")
	flag.BoolVar(&o.list, "list", false, "only name what would be measured")
	flag.IntVar(&o.rounds, "rounds", 0, "rounds of each measurement, at least 3 (default 11, with -quick 5 to 11)")
	flag.StringVar(&o.only, "only", "", "measure only what has one of these words in its name, with commas between them")
	flag.StringVar(&o.dir, "dir", "", "keep repositories in this directory and use those that are there")
	flag.Parse()
	o.most = o.rounds
	if o.rounds == 0 {
		o.rounds, o.most = 11, 11
		if o.quick {
			o.rounds = 5
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	var chosen []scenario
	for _, s := range scenarios(o) {
		if slices.ContainsFunc(strings.Split(o.only, ","), func(word string) bool { return strings.Contains(s.name, word) }) {
			chosen = append(chosen, s)
		}
	}
	if o.list {
		for _, s := range chosen {
			fmt.Println(s.name)
			for _, r := range s.rows {
				fmt.Println("\t" + r.title)
			}
		}
		return nil
	}
	b, err := newBench(ctx, o)
	if err != nil {
		return err
	}
	defer b.close()
	var results []result
	for _, s := range chosen {
		got, err := b.measure(s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		results = append(results, got...)
		if !o.json && !o.markdown {
			printRows(os.Stdout, got)
		}
	}
	more := growthByFiles(results)
	results = append(results, more...)
	switch {
	case o.json:
		err = printJSON(os.Stdout, b, results)
	case o.markdown:
		printMarkdown(os.Stdout, b, results)
	default:
		printRows(os.Stdout, more)
		printSummary(os.Stdout, b, results)
	}
	for _, r := range results {
		if !r.Kept && err == nil {
			err = errMissed
		}
	}
	return err
}
