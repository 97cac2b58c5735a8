package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const shopCode = `package shop

import (
	"fmt"
	"os"
)

// Total sums the prices of a basket.
func Total(prices []int) int {
	sum := 0
	for _, p := range prices {
		sum += p
	}
	return sum
}`

const scriptCode = `import os
import sys
import argparse

def main():
    parser = argparse.ArgumentParser()
    args = parser.parse_args()
    RUN

if __name__ == "__main__":
    main()`

// at begins a conversation of Claude Code in a checkout, whose transcript tells no more than its calls.
func (w *pastWorld) at(root string) *pastSession {
	s := w.session()
	s.agent, s.form, s.root, s.lines, s.last = "claude-code", 2, root, nil, ""
	s.begin()
	return s
}

// patchElsewhere commits a base, and makes a session of Codex that patched it in another checkout.
func (w *pastWorld) patchElsewhere(root, remote, patch string) {
	w.put("total.go", text(shopCode))
	w.commit("base")
	w.tick()
	s := &pastSession{w: w, id: "019caf00-0000-7000-8000-00000000000a", agent: "codex-cli", root: root}
	line := func(kind string, payload map[string]any) {
		s.add(map[string]any{"timestamp": s.stamp(), "type": kind, "payload": payload})
	}
	meta := map[string]any{"id": s.id, "timestamp": s.stamp(), "cwd": root, "originator": "codex_cli_rs", "cli_version": "0.125.0"}
	if remote != "" {
		meta["git"] = map[string]any{"repository_url": remote}
	}
	line("session_meta", meta)
	line("event_msg", map[string]any{"type": "user_message", "message": "go on"})
	line("response_item", map[string]any{
		"type": "custom_tool_call", "status": "completed", "call_id": "call_1", "name": "apply_patch",
		"input": "*** Begin Patch\n*** Update File: total.go\n@@\n \t}\n" + patch + "\n*** End Patch\n",
	})
	line("response_item", map[string]any{"type": "custom_tool_call_output", "call_id": "call_1", "output": `{"output":"Success.","metadata":{"exit_code":0}}`})
	s.end()
}

func text(s string) []string { return strings.Split(s, "\n") }

// Each case makes a history and names the commit that a session wrote lines of, or none.
func TestBackfillDecidesByContent(t *testing.T) {
	t.Parallel()
	const elsewhere = "/home/alice/src/checkout"
	for name, c := range map[string]struct {
		make func(w *pastWorld)
		want []string // subjects of commits
	}{
		"a file that was renamed before it was committed": {func(w *pastWorld) {
			s := w.at(w.dir)
			s.write("total.go", text(shopCode), nil, false)
			s.end()
			w.put("shop/sum.go", text(shopCode))
			w.commit("renamed")
		}, []string{"renamed"}},
		"lines that a person copies later": {func(w *pastWorld) {
			s := w.at(w.dir)
			s.write("total.go", text(shopCode), nil, true)
			s.end()
			w.commit("written")
			w.put("total.go", slices.Concat(text(shopCode), text(shopCode)[6:]))
			w.commit("copied")
		}, []string{"written"}},
		"another file of the same form in another repository": {func(w *pastWorld) {
			s := w.at("/home/alice/src/weather")
			s.write("main.py", text(strings.Replace(scriptCode, "RUN", "forecast(args.city)", 1)), nil, false)
			s.write(".gitignore", text("*.pyc\n__pycache__/\n.venv/\nnode_modules/"), nil, false)
			s.write("weather.py", text("def forecast(city):\n    report = download(city)\n    return report.tomorrow"), nil, false)
			s.end()
			w.put("main.py", text(strings.Replace(scriptCode, "RUN", "open_the_shop(args.basket)", 1)))
			w.put(".gitignore", text("*.pyc\n__pycache__/\n.venv/\nnode_modules/"))
			w.commit("by hand")
		}, nil},
		"another change of the same file at the same time": {func(w *pastWorld) {
			w.put("total.go", text(shopCode))
			w.commit("base")
			s := w.at(w.dir)
			s.edit("total.go", 13, 1, []string{"\treturn sum + 1"}, false)
			s.end()
			w.put("total.go", text(strings.Replace(shopCode, "sum := 0", "sum := startingValue(prices)", 1)))
			w.commit("by hand")
		}, nil},
		"a small change": {func(w *pastWorld) {
			w.put("total.go", text(shopCode))
			w.commit("base")
			s := w.at(w.dir)
			s.edit("total.go", 9, 1, []string{"\tsum := 1"}, true)
			s.end()
			w.commit("small")
		}, []string{"small"}},
		"one line in a checkout elsewhere": {func(w *pastWorld) {
			w.put("total.go", text(shopCode))
			w.commit("base")
			s := w.at(elsewhere)
			s.write("total.go", text(strings.Replace(shopCode, "return sum", "return roundedToCents(sum)", 1)), nil, true)
			s.end()
			w.commit("one line")
		}, []string{"one line"}},
		"a clock that is ahead of every commit": {func(w *pastWorld) {
			w.clock = w.clock.Add(100 * 24 * time.Hour)
			s := w.at(elsewhere)
			s.write("total.go", text(shopCode), nil, true)
			s.end()
			w.clock = w.clock.Add(-99 * 24 * time.Hour)
			w.commit("written")
		}, []string{"written"}},
		"lines that were there before the session": {func(w *pastWorld) {
			w.put("total.go", text(shopCode))
			w.commit("by hand")
			s := w.at(w.dir)
			s.write("total.go", append(text(shopCode), "", "// Added by the agent: the average price.", "func Average() {}"), nil, true)
			s.end()
			w.commit("average")
		}, []string{"average"}},
		"white space that a person changed": {func(w *pastWorld) {
			s := w.at(w.dir)
			s.write("total.go", text(shopCode), nil, false)
			s.end()
			w.put("total.go", text(strings.ReplaceAll(shopCode, "\t", "    ")))
			w.commit("spaces")
		}, []string{"spaces"}},
		"a here-document of the shell": {func(w *pastWorld) {
			s := w.at(elsewhere)
			s.call("Bash", map[string]any{"command": "mkdir -p shop && cat > shop/total.go <<'EOF'\n" + shopCode + "\nEOF"}, nil)
			s.end()
			w.put("shop/total.go", text(shopCode))
			w.commit("by the shell")
		}, []string{"by the shell"}},
		"lines that an agent moved in two calls, minutes after a person committed them": {func(w *pastWorld) {
			w.put("total.go", append(text(shopCode), "", "func Average() int {", "\treturn averageOfThePrices()", "}"))
			w.commit("by hand")
			s := w.at(w.dir)
			s.edit("total.go", 7, 7, nil, true)
			s.edit("total.go", len(w.get("total.go"))-1, 0, text(shopCode)[7:14], true)
			s.end()
			w.commit("moved")
		}, nil},
		"a substitution of the shell": {func(w *pastWorld) {
			w.put("total.go", text(shopCode))
			w.commit("base")
			s := w.at(w.dir)
			s.call("Bash", map[string]any{"command": "sed -i 's/sum\\b/amount/g' total.go && go build ./..."}, nil)
			s.end()
			w.put("total.go", text(strings.ReplaceAll(shopCode, "sum ", "amount ")))
			w.commit("another change")
			w.put("total.go", text(strings.ReplaceAll(shopCode, "sum", "amount")))
			w.commit("the rest")
		}, []string{"another change", "the rest"}},
		"a substitution of the shell of which another file holds what it would make": {func(w *pastWorld) {
			w.put("total.go", text(shopCode))
			w.commit("base")
			s := w.at(w.dir)
			s.call("Bash", map[string]any{"command": "sed -i 's/sum := 0/sum := startingValue(prices)/' sum.go"}, nil)
			s.end()
			w.put("total.go", text(strings.Replace(shopCode, "sum := 0", "sum := startingValue(prices)", 1)))
			w.commit("by hand")
		}, nil},
		"a substitution of the shell that was made before": {func(w *pastWorld) {
			w.put("total.go", text(shopCode))
			w.commit("base")
			w.put("total.go", text(strings.Replace(shopCode, "sum := 0", "sum := startingValue(prices)", 1)))
			w.commit("by hand")
			w.clock = w.clock.Add(time.Hour)
			s := w.at(w.dir)
			s.call("Bash", map[string]any{"command": "sed -i 's/sum := 0/sum := startingValue(prices)/' total.go"}, nil)
			s.end()
			w.put("total.go", text(shopCode))
			w.commit("taken back")
			w.put("total.go", text(strings.Replace(shopCode, "sum := 0", "sum := startingValue(prices)", 1)))
			w.commit("by hand again")
		}, nil},
		"a patch of Codex in a checkout elsewhere": {func(w *pastWorld) {
			w.patchElsewhere(elsewhere, "", "-\treturn sum\n+\treturn roundedToCents(sum)\n }")
			w.put("total.go", text(strings.Replace(shopCode, "return sum", "return roundedToCents(sum)", 1)))
			w.commit("patched")
		}, []string{"patched"}},
		"a small patch elsewhere, of a session that noted the remote": {func(w *pastWorld) {
			w.git("remote", "add", "origin", "https://example.com/acme/shop.git")
			w.patchElsewhere(elsewhere, "git@example.com:acme/shop", "+\tlogTheSum(sum)\n \treturn sum")
			w.put("total.go", text(strings.Replace(shopCode, "\treturn sum", "\tlogTheSum(sum)\n\treturn sum", 1)))
			w.commit("patched")
		}, []string{"patched"}},
		"a small patch elsewhere, of a session that noted another remote": {func(w *pastWorld) {
			w.git("remote", "add", "origin", "https://example.com/acme/shop.git")
			w.patchElsewhere(elsewhere, "git@example.com:acme/weather", "-\treturn sum\n+\treturn roundedToCents(sum)\n }")
			w.put("total.go", text(strings.Replace(shopCode, "return sum", "return roundedToCents(sum)", 1)))
			w.commit("patched")
		}, nil},
		"a change that was reverted and made again": {func(w *pastWorld) {
			w.put("total.go", text(shopCode))
			w.commit("base")
			s := w.at(w.dir)
			s.edit("total.go", 13, 1, []string{"\tif sum > maximumOfABasket {", "\t\tsum = maximumOfABasket", "\t}", "\treturn sum"}, true)
			s.end()
			w.commit("written")
			w.tick()
			w.git("revert", "--no-edit", "HEAD")
			w.tick()
			w.git("revert", "--no-edit", "HEAD")
		}, []string{"Reapply \"written\"", "written"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newPastWorld(t, 1)
			c.make(w)
			var got []string
			for _, row := range w.backfill("--dry-run") {
				got = append(got, strings.TrimSpace(w.git("log", "-1", "--format=%s", row.Commit)))
			}
			slices.Sort(got)
			if strings.HasPrefix(strings.Join(got, ","), `Revert "Revert`) { // git before 2.43 says it so
				got[0] = "Reapply \"written\""
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
