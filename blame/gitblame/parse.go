package gitblame

import (
	"errors"
	"strings"

	"github.com/git-trace/git-trace/refs/gitargs"
)

// ErrHelp says that the arguments ask for help: -h or --help.
var ErrHelp = errors.New("help requested")

// Parse reads the arguments after `git trace blame`, in the grammar of git-blame(1): options and positional arguments
// in any order, groups of short options, unique abbreviations of blame's own long options. It interprets only what is
// necessary. Git gets the arguments unchanged and checks them.
func Parse(argv []string) (Options, error) {
	p := parser{rest: argv}
	for len(p.rest) > 0 {
		word := p.take()
		switch {
		case word == "--":
			p.opts.dashes, p.opts.after = true, p.rest
			p.add(names, append([]string{word}, p.rest...)...)
			return p.done(), nil
		case word == "--end-of-options":
			p.opts.words = append(p.opts.words, p.rest...)
			p.add(names, append([]string{word}, p.rest...)...)
			return p.done(), nil
		case strings.HasPrefix(word, "--"):
			if err := p.long(word); err != nil {
				return Options{}, err
			}
		case len(word) > 1 && word[0] == '-':
			if err := p.cluster(word); err != nil {
				return Options{}, err
			}
		default:
			p.positional(word)
		}
	}
	return p.done(), nil
}

// parser is the state of Parse: the result so far and the remaining words.
type parser struct {
	opts Options
	rest []string

	json, runs, incremental, porcelain, perLine bool
}

// `done` combines all options. As in git, the order of format options does not matter: --incremental wins over
// --porcelain, and --line-porcelain implies --porcelain. --json wins over all of them.
func (p *parser) done() Options {
	switch {
	case p.json && p.runs:
		p.opts.Format = JSONRuns
	case p.json:
		p.opts.Format = JSON
	case p.incremental:
		p.opts.Format = Incremental
	case p.porcelain && p.perLine:
		p.opts.Format = LinePorcelain
	case p.porcelain:
		p.opts.Format = Porcelain
	}
	return p.opts
}

func (p *parser) take() string {
	word := p.rest[0]
	p.rest = p.rest[1:]
	return word
}

// `add` records words for git, and their role.
func (p *parser) add(r role, words ...string) {
	p.opts.args = append(p.opts.args, argument{words: words, role: r})
}

func (p *parser) positional(word string) {
	p.opts.words = append(p.opts.words, word)
	p.add(names, word)
}

// `long` reads one long option.
func (p *parser) long(word string) error {
	if p.ours(word) {
		return nil
	}
	name, value, stuck := strings.Cut(word[2:], "=")
	if name == "help" || name == "help-all" {
		return ErrHelp
	}
	spec, unset, ok := gitargs.Long(ownOptions, name)
	if !ok {
		p.foreign(word, name, stuck)
		return nil
	}
	words := []string{word}
	if spec.value == gitargs.Required && !stuck && !unset && len(p.rest) > 0 {
		value = p.take()
		words = append(words, value)
	}
	p.apply(spec, unset, value, words)
	return nil
}

// ours handles git-trace's own options. They cannot be abbreviated, so an abbreviation always means git's option.
func (p *parser) ours(word string) bool {
	on := !strings.HasPrefix(word, "--no-")
	switch strings.TrimPrefix(strings.TrimPrefix(word, "--"), "no-") {
	case "json":
		p.json, p.runs = on, false
	case "json=runs":
		p.json, p.runs = on, on
	case "prompts":
		p.opts.Prompts = on
	case "functions":
		p.opts.Functions = on
	case "only-ai":
		p.opts.OnlyAI = on
	default:
		return false
	}
	return true
}

// cluster reads a word of short options: "-sw", "-L1,5", "-C40", "-M".
func (p *parser) cluster(word string) error {
	for at := 1; at < len(word); at++ {
		if word[at] == 'h' {
			return ErrHelp
		}
		spec, ok := gitargs.Short(ownOptions, word[at])
		rest := word[at+1:]
		switch {
		case !ok:
			p.foreignShort("-" + word[at:])
			return nil
		case spec.value == gitargs.None:
			p.apply(spec, false, "", []string{"-" + word[at:at+1]})
		case rest != "" || spec.value == gitargs.Optional:
			p.apply(spec, false, rest, []string{"-" + word[at:]})
			return nil
		case len(p.rest) > 0:
			value := p.take()
			p.apply(spec, false, value, []string{"-" + word[at:at+1], value})
			return nil
		default:
			p.add(passes, "-"+word[at:at+1]) // git reports that the value is missing
			return nil
		}
	}
	return nil
}

// `apply` records one of git blame's own options.
func (p *parser) apply(spec option, unset bool, value string, words []string) {
	if spec.set != nil {
		spec.set(p, value, !unset)
	}
	p.add(spec.role, words...)
}

// `foreign` records a long option of git-rev-list(1) or git-diff(1).
func (p *parser) foreign(word, name string, stuck bool) {
	o := &p.opts
	switch {
	case pseudoRevs[name] || stuck && pseudoRevPatterns[name]:
		p.positional(word)
		return
	case pseudoRevPatterns[name]: // "--glob PATTERN" in two words
		p.takeValue(limits, word)
		return
	case word == "--reverse":
		o.Reverse = true
		p.add(limits, word)
		return
	case word == "--first-parent":
		o.FirstParent = true
		p.add(limits, word)
		return
	case word == "--no-textconv" || word == "--textconv":
		o.NoTextconv = word == "--no-textconv"
	case name == "date":
		before := len(o.args)
		p.maybeValue(passes, word, name, stuck)
		o.Date = lastWord(o.args[before].words, stuck)
		return
	}
	r := passes
	if limiting[name] {
		o.Limited, r = true, limits
	}
	p.maybeValue(r, word, name, stuck)
}

// lastWord returns the value of an option that is given as one word or as two.
func lastWord(words []string, stuck bool) string {
	if stuck {
		_, value, _ := strings.Cut(words[0], "=")
		return value
	}
	if len(words) < 2 {
		return ""
	}
	return words[1]
}

func (p *parser) maybeValue(r role, word, name string, stuck bool) {
	if !stuck && takesValue[name] {
		p.takeValue(r, word)
		return
	}
	p.add(r, word)
}

func (p *parser) takeValue(r role, word string) {
	if len(p.rest) == 0 {
		p.add(r, word)
		return
	}
	p.add(r, word, p.take())
}

// foreignShort records the rest of a word of short options, from the first option that is not git blame's own.
func (p *parser) foreignShort(word string) {
	switch c := word[1]; {
	case c >= '0' && c <= '9': // -5 means --max-count=5
		p.opts.Limited = true
		p.add(limits, word)
	case strings.IndexByte(shortTakesValue, c) >= 0 && len(word) == 2:
		p.takeValue(passes, word)
	default:
		p.add(passes, word)
	}
}
