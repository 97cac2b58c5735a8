package redact

import mathbits "math/bits"

// marks are the places of a text at which a secret or a name may begin. One reading finds them, and only they are
// tried.
type marks struct {
	text   string
	at     [families][]int32
	unseen bool // the text may have invisible characters
}

// The kinds of places.
const (
	atStem     = iota // of names of secrets
	atLogin           // words of HTTP's authorization
	atHome            // directories of homes
	atForm            // tokens of known forms
	atURL             // ://
	atArgument        // what lines with commands hold that take passwords
	atSQL             // identified by
	atBasic           // HTTP's basic authentication
	atKey             // blocks of private keys
	atLine            // words that identify the rest of a line, or the next one
	atPort            // the colon before a port
	atCall            // names of functions that take a secret
	atUnseen          // sequences for terminals and their like
	families
)

// beginnings holds the beginnings of words. Each word has a bit, which is set for the possible bytes at its first,
// second and third place.
type beginnings struct {
	byte   [3][256]uint64
	family [64]uint8
	words  int
}

// newBeginnings reads the words of all families.
func newBeginnings(forms *[256][]form) *beginnings {
	b := &beginnings{}
	for _, word := range [...]string{"pass", "psk", "pat", "secret", "senha", "token", "key", "kennwort", "cred",
		"contrasena", "connectionstring", "jwt", "bearer", "motdepasse", "wachtwoord"} {
		b.add(atStem, true, word)
	}
	b.add(atStem, true, "pwd", "pw:", "pw=", "pw ")
	b.add(atStem, true, "auth", "assword", "sig=")
	b.add(atLogin, true, "bearer", "basic", "authorization")
	b.add(atHome, true, "home", "users", "documents")
	b.add(atHome, false, "~")
	for _, list := range forms {
		var same []string
		for _, f := range list {
			same = append(same, f.begin)
		}
		if same != nil {
			b.add(atForm, false, same...)
		}
	}
	b.add(atURL, false, "://")
	b.add(atArgument, false, " -", ` "-`, " '-")
	b.add(atArgument, false, "|")
	b.add(atArgument, false, " /p", " /rp ", "<<<")
	b.add(atArgument, false, "login ", "sqlplus ", "sqlldr ", "sql ")
	b.add(atArgument, false, "mpdp ", "xpdp ", `"pass:`, "'pass:")
	b.add(atArgument, false, "rabbitmqctl ", "mc alias ", "composer ", "rclone ")
	b.add(atArgument, false, "poetry ", ":_authToken ", "wpa_passphrase ", "pdftk ", "vault ", "bw ")
	b.add(atLine, true, "cookie", "master.key", "webhook", "net use ", "net user ", "requirepass ", "masterauth ",
		"bindpw ", "bind_pw ", "rootpw ", "jdbc:oracle:")
	b.add(atLine, false, "\tTRUE\t", "\tFALSE\t", "@tcp(", "@unix(")
	b.add(atLine, true, "auth ")
	b.add(atCall, true, "hmac", "login", "pdo", "connect", "sequelize")
	b.add(atPort, false, ":1", ":2", ":3", ":4", ":5", ":6", ":7", ":8", ":9", ":*")
	b.add(atSQL, false, "IDENTIFIED", "PASSWORD FOR")
	b.add(atSQL, false, "identified", "password for")
	b.add(atBasic, false, "asic ")
	b.add(atKey, false, "PRIVATE KEY")
	b.add(atUnseen, false, "\x1b", "\x00", "\b")
	b.add(atUnseen, false, "^[[", "^@")
	b.add(atUnseen, false, "\u00ad")
	b.add(atUnseen, false, "\ufeff", "\u200b", "\u200c", "\u200d", "\u2060")
	return b
}

// add gives words of a family a bit. Words may share bytes in another order too, so the places are checked again.
func (b *beginnings) add(family uint8, folded bool, words ...string) {
	bit := uint64(1) << b.words // the 64th is the last
	for _, word := range words {
		for i := range b.byte {
			for c := range 256 {
				if i >= len(word) || byte(c) == word[i] || folded && byte(c)|0x20 == word[i] {
					b.byte[i][c] |= bit
				}
			}
		}
	}
	b.family[b.words] = family
	b.words++
}

// scan reads a text once.
func (b *beginnings) scan(text string) *marks { return b.scanInto(&marks{}, text) }

// scanInto is scan into old marks.
func (b *beginnings) scanInto(s *marks, text string) *marks {
	s.text = text
	for i := range s.at {
		s.at[i] = s.at[i][:0]
	}
	first, second, third := &b.byte[0], &b.byte[1], &b.byte[2]
	for i := 0; i+2 < len(text); i++ {
		found := first[text[i]] & second[text[i+1]]
		if found == 0 {
			continue
		}
		for found &= third[text[i+2]]; found != 0; found &= found - 1 {
			list := &s.at[b.family[mathbits.TrailingZeros64(found)]]
			if n := len(*list); n == 0 || (*list)[n-1] != int32(i) {
				*list = append(*list, int32(i))
			}
		}
	}
	s.unseen = len(s.at[atUnseen]) > 0 || hasUnseen(text[max(0, len(text)-2):])
	return s
}
