package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// measured are results as scenarios give them: git's time grows with the files, the hook's half as fast.
func measured() []result {
	var out []result
	for i, n := range treeSizes {
		name := size(n) + " files"
		ms := float64(n) / 100
		out = append(out, result{Scenario: "tool hooks, " + name, Path: "shell tool, after, 1 change, " + name,
			OursMS: ms / 2, ReferenceMS: ms, Reference: addChanged})
		if i > 0 {
			out = append(out, result{Scenario: "tool hooks, " + name, Path: "edit tool, after, " + name, OursMS: 5,
				OursCPU: 4, ReferenceMS: ms, Reference: addChanged})
		}
	}
	for _, n := range logSizes[1:] {
		for i, path := range grownPaths {
			out = append(out, result{Scenario: "growth", Path: grownTitle(path, n), Reference: grownTitle(path, fewEvents),
				OursMS: float64(i + 2), ReferenceMS: float64(i + 1)})
		}
	}
	return out
}

func TestThePictureHoldsWhatWasMeasured(t *testing.T) {
	t.Parallel()
	panels := growthPanels(measured())
	got := fmt.Sprint(panels)
	want := "[{Tool hooks files in the work tree [{" + addChanged + " [{1000 10} {10000 100} {100000 1000}]} " +
		"{hook of a shell tool [{1000 5} {10000 50} {100000 500}]} {hook of an edit tool [{10000 4} {100000 4}]}]} " +
		"{Length of the log events in the log [{append [{1000 1} {10000 2} {100000 2}]} " +
		"{edit tool [{1000 2} {10000 3} {100000 3}]} {commit [{1000 3} {10000 4} {100000 4}]} " +
		"{blame again [{1000 4} {10000 5} {100000 5}]}]}]"
	if got != want {
		t.Errorf("the panels are\n%s\nand not\n%s", got, want)
	}
	svg := drawPicture(panels)
	if !bytes.Equal(svg, drawPicture(growthPanels(measured()))) {
		t.Error("the same results gave two pictures")
	}
	in := xml.NewDecoder(bytes.NewReader(svg))
	drawn := map[string]int{}
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("no XML: %v", err)
		}
		if start, ok := token.(xml.StartElement); ok {
			drawn[start.Name.Local]++
		}
	}
	if drawn["path"] != 7 || drawn["circle"] != 3+3+2+4*3 {
		t.Errorf("%d lines and %d points are drawn", drawn["path"], drawn["circle"])
	}
	if !strings.Contains(string(svg), "prefers-color-scheme:dark") {
		t.Error("no colours for a dark ground")
	}
}

func TestOneSizeIsNoCurve(t *testing.T) {
	t.Parallel()
	one := measured()[:1]
	if panels := growthPanels(one); len(panels) > 0 {
		t.Errorf("panels of one size: %v", panels)
	}
	if err := writePicture(t.TempDir()+"/p.svg", one); err == nil {
		t.Error("a picture without curves was written")
	}
}

func TestNamesOfCurvesKeepApart(t *testing.T) {
	t.Parallel()
	p := panel{curves: []curve{
		{"a", []point{{1, 1}, {10, 5}}}, {"b", []point{{1, 1}, {10, 5.01}}}, {"c", []point{{1, 1}, {10, 4.9}}},
	}}
	high := p.names(scaleOf([]float64{1, 10}, 200, 0))
	for i := range high {
		for j := range i {
			if d := high[i] - high[j]; d < labelGap && -d < labelGap {
				t.Errorf("the names of %s and %s stand %.1f apart", p.curves[i].name, p.curves[j].name, d)
			}
		}
	}
}
