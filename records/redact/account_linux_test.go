package redact

import (
	"os/user"
	"testing"
)

func TestTheAccountIsTheOneOfTheProcess(t *testing.T) {
	t.Parallel()
	if account, err := user.Current(); err == nil && accountName() != "" && accountName() != account.Username {
		t.Errorf("%q is %q", account.Username, accountName())
	}
	const list = "root:x:0:0:root:/root:/bin/sh\n# a remark\nann:x:1000:1000:Ann:/home/ann:/bin/sh\nbroken:x\n"
	for id, want := range map[string]string{"0": "root", "1000": "ann", "100": "", "": ""} {
		if got := listedAs(list, id); got != want {
			t.Errorf("%s: %q", id, got)
		}
	}
}
