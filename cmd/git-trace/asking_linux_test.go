package main

import (
	"strings"
	"testing"
	"time"
)

// A dialog is open. What a person commits meanwhile is theirs, whatever they answer afterwards.
func TestWhatIsCommittedWhileADialogIsOpenIsAPersons(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"allowed", "refused"} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			w := newWatched(t)
			a := w.agent(alpha)
			const command = "sed -i 's/old two/new two/' b.txt"
			a.does("pre", "bash", command)
			a.does("ask", "bash", command)
			w.types("a.txt", "typed while the dialog was open")
			w.is("a.txt", "typed while the dialog was open", "human")
			w.commit()
			w.is("a.txt", "typed while the dialog was open", "human")
			w.types("a.txt", "typed a little later")
			w.is("a.txt", "typed a little later", "human")
			if answer == "refused" { // with Esc, which no hook tells
				w.commit()
				w.is("a.txt", "typed a little later", "human")
				w.types("a.txt", "typed before the next prompt")
				a.does("prompt", "do something else")
				w.is("a.txt", "typed before the next prompt", "human", "unknown")
				return
			}
			time.Sleep(consentPause)
			a.does("post", "bash", command)
			w.is("a.txt", "typed a little later", "human")
			w.is("b.txt", "new two", alpha)
			w.commit()
			w.is("b.txt", "new two", alpha)
		})
	}
}

// consentPause is longer than what a call is given for a busy machine.
const consentPause = 3 * time.Second

// Of an agent that does not tell how long a call ran, nobody knows when the dialog was closed.
func TestACallThatAskedHasADoubtWhereItsAgentTellsNoTime(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.untimed = true
	a := w.agent(alpha)
	const command = "sed -i 's/old two/new two/' b.txt"
	a.does("pre", "bash", command)
	a.does("ask", "bash", command)
	w.types("a.txt", "typed and committed")
	w.commit()
	w.types("a.txt", "typed while the dialog was open")
	a.does("post", "bash", command)
	w.commit()
	w.is("a.txt", "typed and committed", "human")
	for file, line := range map[string]string{"a.txt": "typed while the dialog was open", "b.txt": "new two"} {
		w.is(file, line, alpha)
		if shown := w.run("git-trace", "blame", "--line-porcelain", file); !strings.Contains(shown, "trace-confidence medium\n") || strings.Contains(shown, "trace-tool-call Bash") {
			t.Errorf("%s: the doubt is not told: %s", file, shown)
		}
	}
	// a command that begins before somebody looks
	slow, release := w.after("slow", "echo by the command >> a.txt")
	a.does("pre", "bash", slow)
	a.does("ask", "bash", slow)
	a.begins("post", "bash", slow)
	time.Sleep(300 * time.Millisecond)
	w.types("b.txt", "typed while it runs")
	w.commit()
	w.is("b.txt", "typed while it runs", alpha) // nothing tells them apart
	release()
	a.ends()
	w.is("a.txt", "by the command", alpha)
}

// A person saves a file while the dialog of an edit is open, and the client does not tell the whole file.
func TestAnEditThatAskedOwnsWhatItDeclared(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.untimed = true
	a := w.agent(alpha)
	edit := []string{"edit", "a.txt", "old one", "new one"}
	a.does(append([]string{"pre"}, edit...)...)
	a.does(append([]string{"ask"}, edit...)...)
	w.types("a.txt", "typed while the dialog was open")
	a.does(append([]string{"post"}, edit...)...)
	w.commit()
	w.is("a.txt", "new one", alpha)
	w.is("a.txt", "typed while the dialog was open", "unknown", "human")
}
