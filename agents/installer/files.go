package installer

import (
	"bytes"
	"context"
	"path"
	"slices"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/hookfile"
)

// Dirs says where an agent looks for a program for each event: below a directory of the user and one in the work tree.
type Dirs struct {
	Agent, Title string
	User, Repo   string // the settings directories; the user's is absolute
	Below        string // below both
}

// Files is the installer for an agent that runs a program for each event, with the name of the event. Each program is a
// file of git-trace's own.
type Files struct {
	parts []*Installer
}

var _ capability.HookInstaller = (*Files)(nil)

// NewFiles returns the installer for an agent. Its programs are sh scripts.
func NewFiles(env capability.Env, dirs Dirs, events []string) *Files {
	f := &Files{}
	var names []string
	for _, event := range events {
		names = append(names, path.Join(dirs.Repo, dirs.Below, event+".sh"))
	}
	for i, event := range events {
		in := Installer{
			Env: env, Agent: dirs.Agent, Title: dirs.Title, OnlyAtTop: true, Format: script(env.Binary, dirs.Agent, event),
			User: dirs.User, Repo: dirs.Repo, File: path.Join(dirs.Below, event+".sh"),
		}
		part := in
		part.Own = func(target capability.Target) (Place, error) {
			at, err := in.Place(target)
			at.Rule, at.Ruled = names, i > 0 // one rule for all files
			return at, err
		}
		f.parts = append(f.parts, &part)
	}
	return f
}

// scriptMark begins the line of a script that contains git-trace's command line.
const scriptMark = "# command: "

// script returns git-trace's script for an event.
func script(binary, agent, event string) OwnFile {
	command := hookfile.Command(binary, agent, event)
	run := "exec " + command
	if hookfile.Call(command) != command {
		run = command
	}
	content := "#!/bin/sh\n# Tells git-trace what " + agent + " does. Written by `git trace init`; " +
		"`git trace uninstall` removes it.\n" + scriptMark + command + "\n" + run + "\n"
	return OwnFile{
		Content: []byte(content), Events: []string{event}, Command: commandBehind(scriptMark, Ours(binary, agent)),
	}
}

// commandBehind returns a function that finds the command line after a mark in a file of git-trace.
func commandBehind(mark string, ours hookfile.Ours) func(doc []byte) (string, bool) {
	return func(doc []byte) (string, bool) {
		for line := range bytes.Lines(doc) {
			if command, found := bytes.CutPrefix(bytes.TrimSpace(line), []byte(mark)); found && ours(string(command)) {
				return string(command), true
			}
		}
		return "", false
	}
}

// Plan returns the actions that Install would take.
func (f *Files) Plan(ctx context.Context, target capability.Target) ([]capability.Action, error) {
	p, err := f.prepare(ctx, target)
	return p.Actions(), err
}

// Install writes all files, or none.
func (f *Files) Install(ctx context.Context, target capability.Target) ([]capability.Action, error) {
	p, err := f.prepare(ctx, target)
	if err != nil {
		return nil, err
	}
	return p.apply()
}

func (f *Files) prepare(ctx context.Context, target capability.Target) (p plan, err error) {
	for _, in := range f.parts {
		if err := in.prepareInto(ctx, &p, target); err != nil {
			return p, err
		}
	}
	return p, nil
}

// Remove removes all files.
func (f *Files) Remove(ctx context.Context, target capability.Target) (done []capability.Action, err error) {
	for _, in := range slices.Backward(f.parts) {
		actions, err := in.Remove(ctx, target)
		if done = append(done, actions...); err != nil {
			return done, err
		}
	}
	return done, nil
}

// Status returns the combined state of all files.
func (f *Files) Status(ctx context.Context, target capability.Target) (whole capability.Status, err error) {
	for i, in := range f.parts {
		one, err := in.Status(ctx, target)
		if err != nil {
			return one, err
		}
		if i == 0 {
			whole = one
			continue
		}
		whole.Present = append(whole.Present, one.Present...)
		whole.Missing = append(whole.Missing, one.Missing...)
		whole.Stale = append(whole.Stale, one.Stale...)
		whole.Installed = whole.Installed && one.Installed
		if whole.Binary == "" || !one.BinaryFound && one.Binary != "" {
			whole.Binary, whole.BinaryFound = one.Binary, one.BinaryFound
		}
	}
	return whole, nil
}
