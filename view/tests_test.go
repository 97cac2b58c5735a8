package view

import (
	"encoding/json"
	"testing"
)

func TestCommandsThatRunTestsAreKnown(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"go test ./...": true, "cd x && go -C y test": true, "CI=1 timeout 60s pytest -q": true, "npm run test:unit": true, "npm t": true,
		"npx vitest run": true, "cargo nextest run": true, "make -j4 check": true, "./gradlew :app:testDebug": true, "python3 -m unittest": true,
		"uv run pytest": true, "(cd a; bundle exec rspec)": true, "dotnet test": true, "./node_modules/.bin/jest a": true, "echo hi | prove -": true,
		"go build ./...": false, "echo go test": false, "npm install jest": false, "grep test a": false, "cat pytest.ini": false,
		"git commit -m 'make test'": false, "": false, "go vet ./test": false, "make testdata": false, "make test-unit": true, "pytest.sh": false,
	} {
		if got := runsTests(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
	for input, want := range map[string]string{
		`{"command":"go test"}`: "go test", `{"cmd":["bash","-lc","go test"]}`: "go test", `{"command":["go","test"]}`: "go test", `{"path":"a"}`: "",
	} {
		if got := commandOf(json.RawMessage(input)); got != want {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
	if skillOf("Skill", json.RawMessage(`{"skill":"pdf"}`)) != "pdf" || skillOf("SlashCommand", json.RawMessage(`{"command":"/review now"}`)) != "review" ||
		skillOf("Bash", json.RawMessage(`{"command":"x"}`)) != "" {
		t.Error("a skill is not known")
	}
}
