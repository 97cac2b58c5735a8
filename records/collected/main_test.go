package collected

import (
	"os"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }
