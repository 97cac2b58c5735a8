package installer

import (
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/userfile"
)

// change is one file to write: to nil, for deletion, or to a content.
type change struct {
	file   userfile.File
	data   []byte
	root   string // directories below it that a deletion empties go too
	action capability.Action
}

func newChange(file userfile.File, data []byte, root string, events []string, detail string) change {
	a := capability.Action{Op: capability.OpUpdate, Path: file.Path, Events: events, Detail: detail}
	switch {
	case file.Data == nil:
		a.Op = capability.OpCreate
	case data == nil:
		a.Op = capability.OpDelete
	}
	return change{file, data, root, a}
}

func actions(changes []change) []capability.Action {
	list := make([]capability.Action, 0, len(changes))
	for _, change := range changes {
		list = append(list, change.action)
	}
	return list
}

// apply writes the changes in order and lists those that were done.
func apply(changes []change) ([]capability.Action, error) {
	for i, change := range changes {
		var err error
		if change.data == nil {
			err = change.file.Delete(change.root)
		} else {
			err = change.file.Replace(change.data)
		}
		if err != nil {
			return actions(changes[:i]), &capability.InstallError{
				Code: capability.CodeSettingsUnwritable, Message: "write " + change.file.Path, Err: err,
				Hint: "check the permissions of the file and its directory, and try again",
			}
		}
	}
	return actions(changes), nil
}
