package main

// example is a call that help shows. What it names is of one small project: the conversation 4f2a with three prompts,
// the file server.go, the remote origin. A test makes that project and runs every one.
type example struct{ call, does string }

// examples are the calls that help, the manual and docs/cli.md show of each command that a person starts.
var examples = []struct {
	command string
	calls   []example
}{
	{"init", []example{
		{"git trace init", "record this repository, for the agents on this machine"},
		{"git trace init --agent claude-code --dry-run", "show what it would do for one agent"},
	}},
	{"setup", []example{
		{"git trace setup --dry-run", "show what it would do on this machine"},
		{"git trace setup --undo --dry-run", "show what it would remove"},
	}},
	{"uninstall", []example{{"git trace uninstall --dry-run", "show the hooks it would remove, and the data that stays"}}},
	{"status", []example{{"git trace status", "is it recording, for whom, is anything wrong"}}},
	{"doctor", []example{
		{"git trace doctor", "all checks, each with the command that repairs it"},
		{"git trace doctor --fix", "mend what can be mended"},
	}},
	{"capabilities", []example{{"git trace capabilities", "what each agent tells, and which are on this machine"}}},
	{"config", []example{
		{"git trace config", "every setting with its value"},
		{"git trace config promptExpire", "one of them"},
	}},
	{"completion", []example{{"git trace completion bash", "what bash reads to complete git trace"}}},
	{"install-docs", []example{{"git trace install-docs --dry-run", "say where manual pages and completions would go"}}},
	{"watch", []example{{"git trace watch --once", "look once for what no hook reported"}}},
	{"demo", []example{{"git trace demo", "a conversation, played and told"}}},
	{"blame", []example{
		{"git trace blame server.go", "who wrote each line"},
		{"git trace blame --prompts -L 3,6 server.go", "four lines, below their prompts"},
		{"git trace blame --json server.go", "for another program"},
	}},
	{"diff", []example{
		{"git trace diff", "unstaged changes, with the owner of each line"},
		{"git trace diff main...topic", "the changes of a branch, and lines that it added and removed again"},
		{"git trace diff --removed HEAD^!", "one commit, also with the owners of removed lines"},
		{"git trace diff 4f2a#1 4f2a#2", "the changes between two prompts"},
		{"git trace diff 4f2a#2^!", "the changes in answer to one prompt"},
	}},
	{"why", []example{
		{"git trace why server.go:3", "the prompt, the thoughts and the edit behind a line"},
		{"git trace why HEAD server.go:3-6", "the same for lines 3 to 6 in the last commit"},
	}},
	{"log", []example{
		{"git trace log", "all conversations, the newest first"},
		{"git trace log --since=1.week --stat", "conversations of last week, with their files"},
		{"git trace log --prompts --since=1.week", "what was asked in the last week, and how long each took"},
		{"git trace log main..topic -- server.go", "conversations that wrote lines of a file on a branch"},
	}},
	{"show", []example{
		{"git trace show 4f2a", "a conversation, step by step"},
		{"git trace show '4f2a#2'", "one prompt: its answer, its changes, and what is left of them"},
		{"git trace show HEAD", "a commit, with who wrote its lines"},
	}},
	{"graph", []example{
		{"git trace graph -n 20", "the last commits, and the conversations that wrote them"},
		{"git trace graph --format html main..topic", "a page about a branch"},
	}},
	{"track", []example{
		{"git trace track '4f2a#1'", "what became of the lines of one prompt"},
		{"git trace track server.go:3", "what became of the change that added a line"},
	}},
	{"search", []example{
		{"git trace search 'retry limit'", "the conversations with these words"},
		{"git trace search --file server.go --survived", "the calls that wrote lines of a file that commits hold"},
	}},
	{"stats", []example{
		{"git trace stats main..topic", "how much of a branch agents wrote"},
		{"git trace stats --by week,agent --since=3.months", "who wrote what in each week, and what it cost"},
		{"git trace stats --by directory --depth 2 -- cmd", "by directory, below one directory"},
		{"git trace stats --now --by directory", "who wrote the lines that are there today"},
		{"git trace stats --by model --survival --format csv", "how long lines lived, for a spreadsheet"},
	}},
	{"report", []example{
		{"git trace report origin/main...HEAD", "one page about a pull request"},
		{"git trace report origin/main...HEAD --max-bytes github-summary", "within the limit of a forge"},
	}},
	{"check", []example{
		{"git trace check origin/main...HEAD", "hold a branch against the policy of its target"},
		{"git trace check --format sarif -o check.sarif origin/main...HEAD", "for a forge that shows findings at the lines"},
	}},
	{"restore", []example{
		{"git trace restore --dry-run 4f2a#3 .", "show what it would restore"},
		{"git trace restore 4f2a#3 -- server.go", "a file as it was when prompt 3 was sent"},
	}},
	{"revert", []example{
		{"git trace revert --dry-run 4f2a#3", "whose lines would go, and which come back"},
		{"git trace revert 4f2a#3 -- server.go", "undo what prompt 3 did to a file, and nothing that came later"},
	}},
	{"resume", []example{
		{"git trace resume --print 4f2a", "the command that continues a conversation"},
		{"git trace resume --print --at-step '4f2a#2'", "go on from before prompt 2, in a work tree of its own"},
	}},
	{"steering", []example{{"git trace steering main..topic", "what was declined, corrected and given up on a branch"}}},
	{"lessons", []example{{"git trace lessons >LESSONS.md", "what agents should remember"}}},
	{"handoff", []example{{"git trace handoff 4f2a", "the state of a conversation, for the next agent or person"}}},
	{"quality", []example{{"git trace quality 4f2a", "what the record of a conversation has, and what is missing"}}},
	{"record", []example{{"git trace record", "store all conversations that wait"}}},
	{"backfill", []example{
		{"git trace backfill --dry-run", "which old commits have a session file behind them"},
		{"git trace backfill", "write the owners of their lines to the log"},
	}},
	{"convert", []example{
		{"git trace convert --format opentraces session.jsonl", "a session file as a record, redacted"},
	}},
	{"export", []example{
		{"git trace export --format opentraces 4f2a", "the record of one conversation"},
		{"git trace export --format git-ai --notes", "who wrote the lines, as notes that git-ai reads"},
	}},
	{"import", []example{{"git trace import --from opentraces traces.jsonl", "conversations of another machine"}}},
	{"trailers", []example{
		{`git commit -m 'server: a test' --trailer "$(git trace trailers)"`, "name the agents in a message"},
		{"git trace trailers --id HEAD", "the agents and conversations of a commit"},
	}},
	{"note", []example{{"git trace note 4f2a --outcome success --message 'reviewed'", "say how it ended"}}},
	{"push", []example{
		{"git trace push --dry-run origin", "what would leave, and what stays here"},
		{"git trace push --to commits origin", "let others see who wrote the published lines"},
	}},
	{"pull", []example{{"git trace pull origin", "the owners of lines that others have published"}}},
	{"unshare", []example{{"git trace unshare 4f2a", "do not push the texts of a conversation any more"}}},
	{"archive", []example{{"git trace archive origin --dry-run", "clones that published nothing for 30 days"}}},
	{"verify", []example{{"git trace verify", "is the log whole and unchanged"}}},
	{"checkpoint", []example{{"git trace checkpoint", "sign the end of the log"}}},
	{"reconcile", []example{{"git trace reconcile --dry-run", "which commits no hook reported"}}},
	{"rebuild", []example{{"git trace rebuild", "make the caches again from the log"}}},
	{"gc", []example{{"git trace gc --dry-run", "show what it would pack and remove"}}},
	{"events", []example{
		{"git trace events -n 5", "the newest events of the log"},
		{"git trace events --json --type patch_recorded", "all events of one type, as JSON"},
	}},
	{"snapshot", []example{{"git trace snapshot", "the tree of the work tree as it is"}}},
	{"purge", []example{
		{"git trace purge --dry-run --text 'retry limit'", "where a text was recorded"},
		{"printf %s \"$SECRET\" | git trace purge --yes --text -", "remove a secret without typing it"},
	}},
}

// examplesOf returns the examples of one command.
func examplesOf(command string) []example {
	for _, e := range examples {
		if e.command == command {
			return e.calls
		}
	}
	return nil
}
