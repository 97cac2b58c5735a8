package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind is the kind of an option's value.
type Kind int

const (
	TakesNothing Kind = iota // no value
	takesWord
	takesList // one word for each use
	takesNumber
	takesSize   // a number that may need more than 32 bits
	takesPeriod // a period of time
)

// Form is an option, the same in every command: its spellings, its value, and its effect. In the text, backquotes
// mark the name of the value.
type Form struct {
	Names []string // the code uses the first
	Kind  Kind
	Does  string
}

// Defaults of options.
const (
	watchPause = "2s"
	ServedIdle = "12h0m0s" // the time without a request after which the server of the pages ends
)

// Forms are all options of all commands. One spelling has one meaning, and one meaning has one spelling.
var Forms = []Form{
	{[]string{"accept"}, takesList,
		"accept the log of the clone with this `id` although it has lost events; may be given more than once"},
	{[]string{"active"}, TakesNothing, "with tracestate and dpo: leave out answers that the user took back"},
	{[]string{"adopt"}, takesList,
		"pass on the digest that the clone with this `id` published elsewhere; may be given more than once"},
	{[]string{"after"}, TakesNothing, "use the moment when a prompt, step or call ended"},
	{[]string{"agent"}, takesList, "only the agent of this `name`; may be given more than once"},
	{[]string{"all"}, TakesNothing, "begin at every branch and tag, remote ones too, not at HEAD alone"},
	{[]string{"anchored"}, TakesNothing, "exit with 1 also if no checkpoint or copy confirms the log"},
	{[]string{"anonymise"}, TakesNothing,
		"with parquet and jsonl: replace repositories, people, paths and ids by keyed hashes, leave out texts"},
	{[]string{"at-step"}, takesWord, "continue from this `point`: 4f2a:12 is a step, 4f2a#3 a prompt, 4f2a the end"},
	{[]string{"attestation"}, takesWord, "check the statement in this `file`"},
	{[]string{"audit"}, TakesNothing, "answer the questions of auditors about a change"},
	{[]string{"author"}, takesWord, "only commits whose author matches `pattern`"},
	{[]string{"auto"}, TakesNothing, "pack only if enough data waits"},
	{[]string{"before"}, TakesNothing, "use the moment when a prompt, step or call began"},
	{[]string{"below"}, takesList, "record repositories below this `directory`; may be given more than once"},
	{[]string{"by"}, takesList,
		"group by `what`: agent, model, tool, author, day, week, month, hour, directory, file, language or function"},
	{[]string{"color"}, takesWord, "use colour: `when` is always, never or auto (--no-color: never)"},
	{[]string{"configure"}, TakesNothing, "make plain git fetch also fetch what others have published"},
	{[]string{"contents"}, takesWord, "read the content of the path from `file`; - is standard input"},
	{[]string{"cost"}, TakesNothing, "show needless content of the context instead of the steps"},
	{[]string{"depth"}, takesNumber, "with --by directory: use the first `number` parts of the path"},
	{[]string{"drop"}, takesList, "remove the clone with this `id` from the archives; may be given more than once"},
	{[]string{"dry-run"}, TakesNothing, "only say what would be done"},
	{[]string{"fail-unknown"}, takesWord, "exit with 1 if more than this `percent` of the lines have no known owner"},
	{[]string{"failed"}, TakesNothing, "only calls that ended with an error"},
	{[]string{"fetched"}, TakesNothing, "check the logs that were fetched from others"},
	{[]string{"file"}, takesWord, "only calls that read or changed a file that matches `pattern`, as in .gitignore"},
	{[]string{"first-parent"}, TakesNothing, "follow only the first parent of merges"},
	{[]string{"fix"}, TakesNothing, "repair what can be repaired"},
	{[]string{"force", "f"}, TakesNothing, "continue although "},
	{[]string{"format"}, takesWord, "the `format` of the output: "},
	{[]string{"from"}, takesWord, "the `format` of the input: "},
	{[]string{"gate"}, TakesNothing, "exit with status 1 if a record has fewer than two steps or no tool call"},
	{[]string{"global"}, TakesNothing, "use the agents' hooks in the user's own settings"},
	{[]string{"grep"}, takesWord, "only conversations that contain all words of `text`"},
	{[]string{"history"}, takesWord,
		"with tracestate: full histories, or only the messages after the previous state (`full|delta`)"},
	{[]string{"html"}, TakesNothing, "a page of HTML, with charts and without script"},
	{[]string{"id"}, TakesNothing, "add a line for each conversation, Agent-Trace: ID#PROMPT"},
	{[]string{"idle"}, takesPeriod, "end after this `duration` without a request; 0 for never"},
	{[]string{"in"}, takesWord, "search only prompts, answers, inputs of calls, or names of files " +
		"(`prompts|answers|calls|files`)"},
	{[]string{"include-human"}, TakesNothing,
		"with dpo: also pairs in which people replaced an agent's lines"},
	{[]string{"interval"}, takesPeriod, "the pause between two checks (`duration`)"},
	{[]string{"json"}, TakesNothing, "output for programs, with the name of its schema"},
	{[]string{"keep"}, TakesNothing, "keep the repository and say where it is"},
	{[]string{"key"}, takesWord, "sign with this `key` instead of user.signingKey"},
	{[]string{"limit"}, takesNumber, "take the first `number` conversations"},
	{[]string{"listen"}, takesWord, "listen on this `address` of the loopback device"},
	{[]string{"listen-anyway"}, TakesNothing, "listen on an address that other machines reach"},
	{[]string{"log"}, TakesNothing, "also fetch whole logs, if they are shared"},
	{[]string{"markdown"}, TakesNothing, "a page of Markdown, in full"},
	{[]string{"max-bytes"}, takesWord, "leave out rows beyond this `size`: a number, or the name of a forge's limit"},
	{[]string{"max-count", "n"}, takesNumber, "show at most `number` "},
	{[]string{"max-tokens"}, takesSize,
		"with tracestate and dpo: drop the oldest messages of histories with more than `n` tokens of four bytes"},
	{[]string{"message", "m"}, takesWord, "describe the end in a `text` of at most 2,000 characters"},
	{[]string{"messages"}, takesWord,
		"with tracestate and dpo: write messages in the form of this provider (`anthropic|openai`)"},
	{[]string{"min-chars"}, takesNumber, "with tracestate: only actions with at least this many characters (`n`)"},
	{[]string{"model"}, takesWord, "only calls of a model that matches `pattern`"},
	{[]string{"new-writer"}, TakesNothing, "give this clone a new id, if the directory is a copy"},
	{[]string{"no-redact"}, TakesNothing, "do not redact secrets and names"},
	{[]string{"no-trace"}, TakesNothing, "only git's own output"},
	{[]string{"no-verify"}, TakesNothing, "run no pre-push hook"},
	{[]string{"notes"}, TakesNothing,
		"with git-ai: the notes of this repository instead of a file; notes of others are kept"},
	{[]string{"now"}, TakesNothing, "count the lines of the revision, not the lines that commits added"},
	{[]string{"once"}, TakesNothing, "look once and exit"},
	{[]string{"oneline"}, TakesNothing, "a line for each"},
	{[]string{"only"}, takesWord, "with tracestate: only answers with calls, or without (`tool_use|text`)"},
	{[]string{"only-ai"}, TakesNothing, "only the work of agents"},
	{[]string{"functions"}, TakesNothing, "count the lines of each owner in each function"},
	{[]string{"only-human"}, TakesNothing, "only the work of people"},
	{[]string{"only-unknown"}, TakesNothing, "only lines without a known owner"},
	{[]string{"open"}, TakesNothing, "open it in the browser"},
	{[]string{"otlp"}, TakesNothing, "take telemetry of agents' clients, by OTLP over HTTP"},
	{[]string{"outcome"}, takesWord, "whether the goal was reached (`success|failure|unknown`)"},
	{[]string{"output", "o"}, takesWord, "write to a `file`; - is standard output"},
	{[]string{"own"}, TakesNothing,
		"fetch the events that this clone published and has lost, and continue under a new id"},
	{[]string{"partition"}, takesList, "with parquet and jsonl: a directory for each of `columns`: repo, month, agent"},
	{[]string{"path"}, takesList,
		"calls, results and snapshots of the file with this `path`, from the top of the work tree"},
	{[]string{"pattern"}, takesList, "texts that match the regular `expression`"},
	{[]string{"per-call"}, TakesNothing, "with tracestate: a state for each call of an answer"},
	{[]string{"policy"}, takesWord, "use the policy in this `file` instead of the base's"},
	{[]string{"port"}, takesNumber, "listen on the port with this `number`; the default is a free one"},
	{[]string{"prefix"}, takesWord, "write into share below this `directory`"},
	{[]string{"print"}, TakesNothing, "only print the command line"},
	{[]string{"project-settings"}, TakesNothing, "use the agents' hooks in the settings that the project commits"},
	{[]string{"prompts"}, TakesNothing, "show each prompt"},
	{[]string{"purge"}, TakesNothing, "also delete the data recorded here: log, snapshots, prompts"},
	{[]string{"quiet", "q"}, TakesNothing, "print nothing; git trace doctor shows failures"},
	{[]string{"rebuild-digest"}, TakesNothing, "replace the digest on the remote by a new one, without its history"},
	{[]string{"records"}, TakesNothing, "also fetch the texts of conversations, if they are shared"},
	{[]string{"redact-auto"}, TakesNothing, "remove texts that must not leave, instead of exiting with status 4"},
	{[]string{"removed"}, TakesNothing, "also show the owners of removed lines"},
	{[]string{"retract"}, TakesNothing,
		"remove this clone's publications from the remote; with --records only texts"},
	{[]string{"reverted"}, TakesNothing,
		"with dpo: also pairs of reverted or discarded lines with their replacement, with low confidence"},
	{[]string{"review"}, TakesNothing, "print the events that would leave, a line each, and send nothing"},
	{[]string{"reward"}, takesWord, "rate the result with a decimal `number`"},
	{[]string{"shard-size"}, takesWord,
		"with parquet and jsonl: end a file when its rows have this `size` as JSON lines: 500000, 64M, 1G"},
	{[]string{"show-prompts"}, takesWord, "`which` prompts of a conversation are shown: none, first or all"},
	{[]string{"since"}, takesWord, "only entries newer than `date`"},
	{[]string{"skill"}, takesWord, "only calls that start a skill that matches `pattern`"},
	{[]string{"skip-bad-rows"}, TakesNothing, "pass over rows that cannot be read, and name them"},
	{[]string{"stat"}, TakesNothing, "also list the changed files of each"},
	{[]string{"stats"}, TakesNothing,
		"with tracestate and dpo: print counts of skipped answers on standard error, as JSON"},
	{[]string{"stdio"}, TakesNothing, "use standard input and output, as always"},
	{[]string{"subagents"}, TakesNothing, "with tracestate and dpo: answers of subagents, too"},
	{[]string{"survival"}, TakesNothing, "count the lines that were alive after 1, 7, 30 and 90 days"},
	{[]string{"survived"}, TakesNothing, "only calls with lines in a commit"},
	{[]string{"system"}, takesWord, "with tracestate and dpo: begin each history with the system prompt in this `file`; " +
		"the word recorded means the one in the record"},
	{[]string{"teachers"}, takesList,
		"with dpo: answers of other models to the states, from this `file`; may be given more than once"},
	{[]string{"test"}, TakesNothing, "only calls that run tests, by the usual names of test runners"},
	{[]string{"text"}, takesList,
		"this `text`, plain and in the encodings that redaction knows; '-' reads it from standard input"},
	{[]string{"thinking"}, TakesNothing, "with tracestate and dpo: include the model's thoughts"},
	{[]string{"to"}, takesWord, "choose how much leaves (`level`): commits, conversations or log"},
	{[]string{"tool"}, takesWord, "only calls of a tool that matches `pattern`"},
	{[]string{"trace"}, takesList,
		"the conversation with this `id`, which may be abbreviated; may be given more than once"},
	{[]string{"transcripts"}, takesList,
		"also read the session files below `directory`, of any agent; may be given more than once"},
	{[]string{"trust-hooks"}, TakesNothing,
		"allow git-trace's own hooks in agents that ask their user before they run a hook"},
	{[]string{"type"}, takesList, "only events of this `type`; may be given more than once"},
	{[]string{"unconfigure"}, TakesNothing, "undo --configure"},
	{[]string{"undo"}, TakesNothing, "undo it"},
	{[]string{"until"}, takesWord, "only entries older than `date`"},
	{[]string{"waste"}, TakesNothing, "add up the needless content of contexts"},
	{[]string{"web"}, TakesNothing, "show it in the browser"},
	{[]string{"words"}, takesWord, "also use the words of another language in this `file`"},
	{[]string{"worktree"}, takesWord, "make the work tree in this `directory`; the default is beside the main work tree"},
	{[]string{"write"}, takesWord, "write all files of the format into a `directory`"},
	{[]string{"writer"}, takesList, "only publications of the clone with this `id`; may be given more than once"},
	{[]string{"yes", "y"}, TakesNothing, "do not ask"},
}

// Use is an option in a command.
type Use struct {
	Form

	Also      []string // git's spellings for it: accepted, but not shown
	byDefault string
}

// Opt returns the use of a named option. The parameter `more` is the command's addition to the description.
func Opt(name, more string) Use {
	i := slices.IndexFunc(Forms, func(f Form) bool { return f.Names[0] == name })
	use := Use{Form: Forms[i]}
	use.Does += more
	switch name {
	case "max-count":
		use.byDefault = "-1"
	case "depth":
		use.byDefault = "1"
	case "interval":
		use.byDefault = watchPause
	case "idle":
		use.byDefault = ServedIdle
	}
	return use
}

// `Or` sets the value that the option has if it is not given.
func (u Use) Or(value string) Use {
	u.byDefault = value
	return u
}

// Options returns the named options, without additions.
func Options(names ...string) []Use {
	var out []Use
	for _, name := range names {
		out = append(out, Opt(name, ""))
	}
	return out
}

func (k Kind) has(value string) (is bool) {
	var err error
	switch k {
	case takesNumber:
		_, err = strconv.ParseInt(value, 0, strconv.IntSize)
	case takesSize:
		_, err = strconv.ParseInt(value, 0, 64)
	case takesPeriod:
		_, err = time.ParseDuration(value)
	}
	return err == nil
}

// Text returns the spelling of an option, and its effect. Backquotes mark its value.
func (u Use) Text() (name, text string) {
	for i, n := range u.Names {
		if i > 0 {
			name += ", "
		}
		name += Dashed(n)
	}
	before, rest, _ := strings.Cut(u.Does, "`")
	value, after, _ := strings.Cut(rest, "`")
	if u.Kind == TakesNothing {
		return name, before + value + after
	}
	switch {
	case u.byDefault == "-1":
		after += " (default: all)"
	case u.byDefault != "" && u.Kind == takesWord:
		after += fmt.Sprintf(" (default: %q)", u.byDefault)
	case u.byDefault != "":
		after += " (default: " + u.byDefault + ")"
	}
	return name + " <" + value + ">", strings.ReplaceAll(before+value+after, " ("+value+")", "")
}

// Dashed returns an option as it is typed.
func Dashed(name string) string {
	name = strings.TrimLeft(name, "-")
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// Options of several commands.
func JSONFlag() Use  { return Opt("json", "") }
func ColorFlag() Use { return Opt("color", "") }

func LimitFlag(what string) Use { return Opt("max-count", what) }

// PeriodFlags are --since and --until, also with git log's other spellings. In other commands these spellings mean
// moments.
func PeriodFlags() []Use {
	since, until := Opt("since", ""), Opt("until", "")
	since.Also, until.Also = []string{"after"}, []string{"before"}
	return []Use{since, until}
}
