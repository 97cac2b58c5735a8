package vscode

import "strings"

// playShown looks at what the extension shows of an agent's lines, in light and dark colours.
func (w *world) playShown() {
	hook := func(event, more string) {
		w.feed(`{"agent":"my-agent","session":"S1","cwd":"`+w.dir+`"`+more+`}`, "git-trace", "hook", "generic", event)
	}
	w.write("shown.go", "package shown\n\nfunc first() {}\n")
	w.git("add", "-A")
	w.git("commit", "-qm", "shown")
	hook("session-start", "")
	hook("prompt", `,"prompt":{"id":"q1","text":"add a function that closes twice"}`)
	edit := `,"tool":{"id":"e1","name":"Edit","does":"edits","paths":["shown.go"]}`
	hook("tool-before", edit)
	w.write("shown.go", "package shown\n\nfunc first() {}\n\nfunc closeTwice(c closer) {\n\tc.close()\n\tc.close()\n}\n")
	hook("tool-after", edit)
	hook("turn-end", "")
	w.do(w.e.ask("set", asked{"section": "gitTrace.show", "value": "file"}, nil))
	for _, theme := range []string{"Light", "Dark"} {
		w.do(w.e.ask("set", asked{"section": "workbench.colorTheme", "value": "Default " + theme + " Modern"}, nil))
		w.waits(`document.querySelector(".monaco-workbench.vs` + map[string]string{"Dark": "-dark"}[theme] + `")`)
		w.end("shown.go")
		w.do(w.e.Open("shown.go", 6, 1))
		w.waits(`[...document.querySelectorAll(".statusbar-item")].some((i) => i.textContent.includes("my-agent"))`)
		w.waits(`document.querySelectorAll(".cgmr[class*=ced-]").length >= 4`) // bars
		w.picture("lines-" + strings.ToLower(theme))
		w.waits(`/my.agent/.test(document.querySelector(".view-lines").textContent)`) // the hint
		w.do(w.e.Run("editor.action.showHover"))
		w.waits(`document.querySelector(".monaco-hover")?.textContent.includes("closes twice")`)
		w.picture("shown-" + strings.ToLower(theme))
		w.do(w.e.Run("gitTrace.whyHere"))
		w.waits(`[...document.querySelectorAll(".tab")].some((t) => t.textContent.includes("Preview shown.go 6"))`)
		w.drawn("why-" + strings.ToLower(theme))
		w.waits(`![...document.querySelectorAll(".tab")].some((t) => t.textContent.includes("shown.go-6"))`) // not the server's
		w.do(w.e.Run("workbench.action.closeActiveEditor"))
	}
	lens := `[...document.querySelectorAll(".codelens-decoration a")].some((a) => /my.agent.*5.lines/.test(a.textContent))`
	w.do(w.e.ask("set", asked{"section": "gitTrace.codeLens", "value": true}, nil))
	w.waits(lens)
	w.picture("lens")
	w.do(w.e.ask("set", asked{"section": "gitTrace.codeLens", "value": false}, nil))
	w.waits("!" + lens)
	w.do(w.e.ask("set", asked{"section": "gitTrace.show", "value": "line"}, nil))
	w.do(w.e.ask("set", asked{"section": "workbench.colorTheme", "value": "Default Light Modern"}, nil))
	w.waits(`document.querySelectorAll(".cgmr[class*=ced-]").length === 0`)
}
