package installer

import (
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/userfile"
)

// plan lists the files to write, in order.
type plan struct {
	userfile.Plan[capability.Action]
}

// add adds the writing of a file; nil data deletes the file. A deletion also removes directories below the place's root
// that become empty. Among the user's directories, it removes only those that were made for this file.
func (p *plan) add(file userfile.File, data []byte, at Place, a capability.Action) {
	a.Op, a.Path = capability.OpUpdate, file.Path
	switch {
	case file.Data == nil:
		a.Op = capability.OpCreate
	case data == nil:
		a.Op = capability.OpDelete
	}
	p.Add(a, userfile.Edit{File: file, Data: data, Root: at.Root, Made: at.Made})
}

// apply applies the whole plan or nothing, and returns its actions.
func (p *plan) apply() ([]capability.Action, error) {
	err := p.Apply()
	if err == nil {
		return p.Actions(), nil
	}
	return nil, &capability.InstallError{
		Code: capability.CodeSettingsUnwritable, Message: "change settings", Err: err,
		Hint: "check the permissions of the file and its directory, and try again",
	}
}

// Write writes one file at once. It removes no directories.
func Write(file userfile.File, data []byte, detail string) ([]capability.Action, error) {
	var p plan
	p.add(file, data, Place{Root: file.Path}, capability.Action{Detail: detail})
	return p.apply()
}
