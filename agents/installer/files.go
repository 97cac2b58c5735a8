package installer

import (
	"bytes"
	"context"
	"path"
	"slices"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/hookfile"
)

// Dirs say where an agent reads a program for each event: below a directory of the user's and one of the work tree.
type Dirs struct {
	Agent, Title string
	User, Repo   string // the directories of settings, the user's absolute
	Below        string // in them
}

// Files is the installer of an agent that runs a program for each event, named after the event. Each program is our own
// file.
type Files struct {
	parts []*Installer
}

var _ capability.HookInstaller = (*Files)(nil)

// NewFiles makes the installer of an agent. Its programs are scripts of sh.
func NewFiles(env capability.Env, dirs Dirs, events []string) *Files {
	f := &Files{}
	var names []string
	for _, event := range events {
		names = append(names, path.Join(dirs.Repo, dirs.Below, event+".sh"))
	}
	for i, event := range events {
		in := &Installer{
			Env: env, Agent: dirs.Agent, Title: dirs.Title, OnlyAtTop: true, Format: script(env.Binary, dirs.Agent, event),
		}
		place := in.InDirs(dirs.User, path.Join(dirs.Below, event+".sh"), names[i])
		in.Place = func(target capability.Target) (Place, error) {
			at, err := place(target)
			at.Rule, at.Ruled = names, i > 0 // one rule for all files
			return at, err
		}
		f.parts = append(f.parts, in)
	}
	return f
}

// scriptMark begins the line of our script with its command line of git-trace.
const scriptMark = "# command: "

// script returns our program that passes an event on.
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

// commandBehind finds the command line after a mark in our file.
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

// Plan lists the actions that Install would do.
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

// Status returns the common state of all files.
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
