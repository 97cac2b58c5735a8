package redact

import mathbits "math/bits"

// marks holds the positions in a text at which a secret or a name may begin. One pass over the text finds them, and the
// rules are tried only there.
type marks struct {
	text   string
	at     [families][]int32
	unseen bool // the text may have invisible characters
}

// The families of positions.
const (
	atStem     = iota // names of secrets
	atLogin           // words of HTTP authorization
	atHome            // parent directories of homes
	atForm            // tokens in known forms
	atURL             // ://
	atArgument        // arguments of commands that take passwords
	atSQL             // SQL: identified by
	atBasic           // HTTP basic authentication
	atKey             // private key blocks
	atLine            // words that tell the meaning of the rest of the line, or of the next one
	atPort            // the colon before a port
	atCall            // names of functions that take a secret
	atUnseen          // terminal sequences and invisible characters
	families
)

// beginnings is an index of the first three bytes of all words. The words of one call of add have a common bit, which
// is set for their possible bytes at the first, second and third position.
type beginnings struct {
	byte   [3][256]uint64
	family [64]uint8
	words  int
}

// newBeginnings builds the index of the words of all families.
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

// add gives words of a family one bit. Bytes of different words may also match in a mixed combination, so the rules
// check each position again.
func (b *beginnings) add(family uint8, folded bool, words ...string) {
	bit := uint64(1) << b.words // 64 bits are the limit
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

// scan finds the positions of a text in one pass.
func (b *beginnings) scan(text string) *marks { return b.scanInto(&marks{}, text) }

// scanInto is scan with reuse of old marks.
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
