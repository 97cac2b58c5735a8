package gitblame

import "testing"

func TestMessagesAreToldApartInAnyLanguage(t *testing.T) {
	t.Parallel()
	if f := newFailure(128, []byte("warning: x\nfatal: no such path 'a' in HEAD\n")); f.ExitCode() != 128 || !f.NoPath() {
		t.Errorf("%+v", f)
	}
	if f := newFailure(128, nil); f.ExitCode() != 128 || f.Error() == "" {
		t.Errorf("%+v", f)
	}
	if f := newFailure(129, []byte("error: unknown option `x'\nusage: git blame\n\n    --foo  bar\n")); f.Error() != "unknown option `x'" {
		t.Errorf("%+v", f)
	}
}
