package transcripts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
)

func TestTextsOfEchoAndPrintfAreFound(t *testing.T) {
	t.Parallel()
	r := newShellReader()
	for command, want := range map[string]string{
		`echo 'one line' > a.txt`:                      "a.txt = one line",
		`echo "second" >> "b c.txt" && ls`:             "b c.txt + second",
		`printf 'one\n\ttwo\n' > c.go`:                 "c.go = one|\ttwo",
		"echo 'one\ntwo' >d":                           "d = one|two",
		"(echo 'x y' > /abs/e); echo 'z' >> /abs/e":    "/abs/e = x y; /abs/e + z",
		`echo "costs $x" > f`:                          "",
		"echo \"`date`\" > f":                          "",
		`printf '%s\n' x > f`:                          "",
		`echo 'x' > /dev/null`:                         "",
		`echo 'x' 2> f`:                                "",
		`cd sub && echo 'x' > f`:                       "",
		`echo 'x' > $F`:                                "",
		`git log --format='%h > %s' && echo 'a' | cat`: "",
	} {
		var got []string
		for _, e := range r.echoTexts(command) {
			if len(e.Whole) > 0 {
				got = append(got, fmt.Sprintf("%s = %s", e.Path, strings.Join(e.Whole, "|")))
			} else {
				got = append(got, fmt.Sprintf("%s + %s", e.Path, strings.Join(e.Hunks[0].Lines, "|")))
			}
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%q gives %q, want %q", command, got, want)
		}
	}
}

func TestCommandsThatWriteWhatIsNotToldAreCounted(t *testing.T) {
	t.Parallel()
	r := newShellReader()
	for command, want := range map[string]int{
		"sed -i 's/a/b/' x.go": 1, "sed -n -e p -i.bak x": 1, "perl -pi -e s/a/b/ x": 1, "python3 -c 'open(1)'": 1, "python - <<'E'\nx\nE": 1, "make > out.txt": 1,
		"ls | tee list": 1, "gofmt -w .": 1, "git apply x.patch": 1, "cp a b": 1, "sort x >> y": 1,
		"grep -r x . 2>/dev/null": 0, "git log": 0, "ls > /dev/null 2>&1": 0, "sed -n 1,5p x": 0, "echo 'a > b'": 0, "go test ./... 2>&1 | tail": 0, "test 1 -ge 2 && x->y": 0,
	} {
		step := &records.Step{
			ToolCalls:    []records.ToolCall{{ToolCallID: "c", ToolName: "Bash", Input: mustJSON(map[string]string{"command": command})}},
			Observations: []records.Observation{{SourceCallID: "c"}},
		}
		if got := len(r.unseenWrites(step, nil)); got != want {
			t.Errorf("%q counts %d, want %d", command, got, want)
		}
		if got := r.unseenWrites(step, map[string]bool{"c": true}); len(got) != 0 {
			t.Errorf("%q counts although its writes were found", command)
		}
	}
}

func FuzzEchoTexts(f *testing.F) {
	f.Add(`printf 'one\n\ttwo\n' > c.go; echo "second" >> "b c.txt"`)
	f.Add("cat <<E\nE\necho '' > x")
	r := newShellReader()
	f.Fuzz(func(t *testing.T, command string) {
		for _, e := range r.echoTexts(outsideHere(command)) {
			if e.Path == "" || len(e.Whole)+len(e.Hunks) == 0 {
				t.Fatalf("%q gives %+v", command, e)
			}
		}
	})
}
