package backfill

import "strings"

// commonWords lists words that occur in any code. A line that has only such words does not show its origin.
const commonWords = " " +
	"a abstract all and any append args as assert async await base begin body bool boolean break byte bytes case " +
	"catch char class close config console const constructor continue count ctx data debug def default defer del " +
	"delete describe dict div do double echo elif else elsif end endif enum err error except exception exit " +
	"exports extends extern false fatal fi file final finally float fmt fn for foreach from func function get " +
	"global go goto head html i id if impl implements import in include index init input instanceof int integer " +
	"interface is it item items j json k key len length let lib li list log logger long main make map match math " +
	"message mod module msg mut name namespace new nil no none not null number object of ok open operator option " +
	"or os out output override package panic params pass path pre print printf println private process property " +
	"protected ps public pub raise range re read ref req require res rescue response result return returns self " +
	"send set short sizeof sort span start static std stderr stdin stdout str strict string strings struct sub " +
	"super switch sync sys t table td test tests text then this throw throws time title to todo tr trait true try " +
	"tuple type typedef typeof ul undefined union unit unittest unless until update use user using utf v val value " +
	"values var vec version void volatile wait when where while with write x y yield z "

// isCommon reports whether all words of a line are common.
func isCommon(line string) bool {
	start := -1
	for i := 0; i <= len(line); i++ {
		letter := i < len(line) && (line[i] >= 'a' && line[i] <= 'z' || line[i] >= 'A' && line[i] <= 'Z' || line[i] >= 0x80)
		switch {
		case letter && start < 0:
			start = i
		case !letter && start >= 0:
			if !strings.Contains(commonWords, " "+strings.ToLower(line[start:i])+" ") {
				return false
			}
			start = -1
		}
		if i < len(line) && line[i] >= '0' && line[i] <= '9' && i+2 < len(line) && isDigit(line[i+1]) && isDigit(line[i+2]) {
			return false // a number with three digits counts as a word
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
