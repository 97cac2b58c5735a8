package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// The client for Neovim in a real one: prompts behind lines, also of a buffer that is typed in, and both pages.
func TestNeovimShowsWhoWroteALine(t *testing.T) {
	testenv.Needs(t, "nvim")
	seen, address := browserOf(t)
	program, dir := demo(t)
	client, err := filepath.Abs("../../packaging/editors/neovim")
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(testenv.TempDir(t), "test.lua")
	told := filepath.Join(testenv.TempDir(t), "told")
	lua := fmt.Sprintf(`
vim.opt.runtimepath:append(%q)
local git_trace = require('git_trace')
git_trace.setup({ command = { %q, 'lsp' } })
local out = {}
local function marks()
  local space = vim.api.nvim_create_namespace('git_trace')
  local all = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
    if mark[4].virt_text then
      table.insert(all, (mark[2] + 1) .. mark[4].virt_text[1][1])
    end
  end
  return table.concat(all, ',')
end
local function signs()
  local all = {}
  for line = 1, vim.fn.line('$') do
    local drawn = vim.fn.screenstring(line, 1)
    table.insert(all, drawn == '▌' and line or nil)
  end
  return table.concat(all, ',')
end
local function waited(for_what)
  vim.wait(15000, for_what, 50)
end
vim.cmd('edit server.go')
local file = vim.api.nvim_get_current_buf()
vim.cmd('GitTrace')
waited(function() return marks() ~= '' end)
table.insert(out, 'opened ' .. marks())
vim.cmd('redraw')
table.insert(out, 'signs ' .. signs() .. '.')
vim.api.nvim_buf_set_lines(0, 0, 0, false, { '// typed' })
vim.api.nvim_buf_clear_namespace(0, vim.api.nvim_create_namespace('git_trace'), 0, -1)
vim.cmd('doautocmd TextChanged')
waited(function() return marks() ~= '' end)
table.insert(out, 'typed ' .. marks())
for _, command in ipairs({ 'GitTraceWhy', 'GitTraceShow' }) do
  vim.api.nvim_win_set_cursor(0, { 12, 0 })
  vim.cmd(command)
  waited(function() return vim.api.nvim_get_current_buf() ~= file end)
  table.insert(out, command .. ' ' .. table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), ' '))
  vim.cmd('close')
end
vim.api.nvim_win_set_cursor(0, { 12, 0 })
vim.fn.setreg('"', '')
vim.cmd('GitTraceCopy')
waited(function() return vim.fn.getreg('"') ~= '' end)
table.insert(out, 'copied ' .. vim.fn.getreg('"'))
vim.cmd('GitTraceOpen')
waited(function() return vim.loop.fs_stat(%q) end)
vim.cmd('GitTrace')
table.insert(out, 'off [' .. marks() .. ']')
vim.fn.writefile(out, %q)
vim.cmd('qa!')
`, client, program, seen, told)
	if err := os.WriteFile(script, []byte(lua), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	nvim := exec.CommandContext(ctx, "nvim", "--headless", "-u", "NONE", "-i", "NONE", "-c", "luafile "+script)
	nvim.Dir = dir
	if out, err := nvim.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := read(t, told)
	for _, want := range []string{"opened 6  claude-code ", "#1,11  claude-code ", "typed 7  claude-code ", "#1,12  claude-code ",
		"signs 6,11,18,19,20.", "copied ", "#1\noff",
		"GitTraceWhy ## `server.go:12`", "close must be safe to call twice", "GitTraceShow # ", "off []"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if opened := address(); !strings.Contains(opened, "/t/") {
		t.Errorf("the browser is led to %s", opened)
	}
}

// The extension for Visual Studio Code with a stub of the editor and the real server: bars beside the lines of an agent,
// the owner of the line at the cursor, pages, and the id in the clipboard.
func TestVisualStudioCodeShowsWhoWroteALine(t *testing.T) {
	testenv.Needs(t, "node")
	program, dir := demo(t)
	extension, err := filepath.Abs("../../packaging/editors/vscode/extension.js")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	node := exec.CommandContext(ctx, "node", "testdata/vscode.js", extension, program, filepath.Join(dir, "server.go"))
	node.Stderr = os.Stderr
	said, err := node.Output()
	if err != nil {
		t.Fatal(err)
	}
	var seen struct {
		Bars, Icon, Status, Show, Why, Copied string
		Person, Disposed                      bool
	}
	if err := json.Unmarshal(said, &seen); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if seen.Bars != "6-6 11-11 18-20" || !strings.HasPrefix(seen.Icon, "data:image/svg+xml;utf8,%3Csvg") {
		t.Errorf("bars %q of %q", seen.Bars, seen.Icon)
	}
	if !strings.HasPrefix(seen.Status, "$(git-commit) claude-code ") || seen.Person {
		t.Errorf("the line at the cursor: %q; a person's is told: %t", seen.Status, seen.Person)
	}
	if seen.Show != "line" || !strings.Contains(seen.Why, "close must be safe to call twice") || seen.Copied != "c86c#1" || !seen.Disposed {
		t.Errorf("%+v", seen)
	}
}

// The commands for Kakoune in a real one: marks beside lines, and the reason of a line with text that means something to
// the editor.
func TestKakouneShowsWhoWroteALine(t *testing.T) {
	testenv.Needs(t, "kak")
	program, dir := demo(t)
	client, err := filepath.Abs("../../packaging/editors/kakoune/git-trace.kak")
	if err != nil {
		t.Fatal(err)
	}
	told := filepath.Join(testenv.TempDir(t), "told")
	script := fmt.Sprintf(`try %%{
source %q
set-option global git_trace_program %q
edit server.go
git-trace-marks
echo -to-file %[3]q -- %%opt{git_trace_marks}
execute-keys 11g
git-trace-why
git-trace-unmark
nop %%sh{ printf '\nunmarked [%%s]' "$kak_opt_git_trace_marks" >> %[3]q }
} catch %%{ echo -to-file %[3]q -- %%val{error} }
`, client, program, told)
	file := filepath.Join(testenv.TempDir(t), "script.kak")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	kak := exec.CommandContext(ctx, "kak", "-n", "-ui", "json", "-e", "source "+file)
	kak.Dir = dir
	drawn, err := kak.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := kak.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := kak.Start(); err != nil {
		t.Fatal(err)
	}
	info := ""
	lines := bufio.NewScanner(drawn)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var call struct {
			Method string            `json:"method"`
			Params []json.RawMessage `json:"params"`
		}
		if err := json.Unmarshal(lines.Bytes(), &call); err == nil && call.Method == "info_show" {
			info = string(call.Params[1])
			break
		}
	}
	_ = in.Close()
	_ = kak.Process.Kill()
	_ = kak.Wait()
	for _, want := range []string{"server.go:11", "close must be safe to call twice", "Edit toolu_demo_01"} {
		if !strings.Contains(info, want) {
			t.Errorf("no %q in %s", want, info)
		}
	}
	got := read(t, told)
	if want := " 6|claude-code#1 11|claude-code#1 18|claude-code#1 19|claude-code#1 20|claude-code#1\nunmarked [0]"; !strings.HasSuffix(got, want) {
		t.Errorf("the marks are %q, not %q", got, want)
	}
}
