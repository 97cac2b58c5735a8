package rawjson_test

import (
	"testing"

	"github.com/git-trace/git-trace/records/rawjson"
)

func TestNamedMembersAreReadAndOthersPassedOver(t *testing.T) {
	t.Parallel()
	var text, other string
	var raw []byte
	var whole, few, none int64
	var share float64
	var on bool
	err := rawjson.Fill([]byte(`{"t":"a","x":{"t":"b"},"r": [1] ,"n":-3,"c":-3,"d":7,"f":0.5,"b":true,"t":"last","o":4}`),
		"t", &text, "r", &raw, "n", &whole, "c", rawjson.Count(&none), "d", rawjson.Count(&few), "f", &share, "b", &on, "o", &other)
	if err != nil || text != "last" || string(raw) != "[1]" || whole != -3 || none != 0 || few != 7 || share != 0.5 || !on ||
		other != "" {
		t.Errorf("%q %q %d %d %d %v %v %q, %v", text, raw, whole, none, few, share, on, other, err)
	}
	if err := rawjson.Fill([]byte(`{"t":"cut"`), "t", &text); err == nil || text != "cut" {
		t.Errorf("a text that ends too early: %q, %v", text, err)
	}
	if err := rawjson.Fill([]byte(`[1]`), "t", &text); err != nil || text != "cut" {
		t.Errorf("a list in the place of an object: %q, %v", text, err)
	}
}
