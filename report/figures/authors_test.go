package figures

import (
	"fmt"
	"testing"

	"github.com/git-trace/git-trace/report/stats"
)

// Of many authors ten are named and the others summed; two of one name are told apart by their addresses.
func TestFewAuthorsAreNamed(t *testing.T) {
	t.Parallel()
	s := NewTable(nil, stats.By{})
	for i := range 14 {
		s.Authors = append(s.Authors, AuthorLines{Author: fmt.Sprint("author ", i/2), Mail: fmt.Sprint(i, "@example.com"),
			Lines: stats.Lines{Commits: 1, Added: 20 - i, Human: 20 - i}})
	}
	s.Authors[13].Author = "another"
	got := s.namedAuthors()
	if len(got) != 11 || got[0].Author != "author 0 <0@example.com>" || got[10].Author != "4 others" {
		t.Errorf("named are %+v", got)
	}
	if rest := got[10].Lines; rest != (stats.Lines{Commits: 4, Added: 34, Human: 34}) {
		t.Errorf("the others are %+v", rest)
	}
	s.Authors = s.Authors[:11]
	if got := s.namedAuthors(); len(got) != 11 || got[10].Author != "author 5 <10@example.com>" && got[10].Author != "author 5" {
		t.Errorf("of eleven %+v", got)
	}
}
