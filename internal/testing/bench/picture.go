package main

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"slices"
)

// A picture shows how paths grow: with the files of a work tree, and with the events of the log. Both axes of a panel
// are logarithmic, so what grows as fast as its cause rises by as much as it goes to the right. The same results give
// the same bytes.

// panel is one set of axes.
type panel struct {
	title, across string
	curves        []curve
}

// curve is one path at several sizes.
type curve struct {
	name   string
	points []point
}

// point is the time of a path at a size, in ms.
type point struct{ size, ms float64 }

// treeSizes and logSizes are the sizes of the scenarios of growth, in their long form.
var (
	treeSizes = []int{1000, 10_000, 100_000}
	logSizes  = []int{fewEvents, 10_000, 100_000}
)

// growthPanels takes the curves out of results.
func growthPanels(results []result) []panel {
	files := panel{title: "Tool hooks", across: "files in the work tree"}
	for _, c := range []struct {
		name, path string
		reference  bool
	}{
		{addChanged, "shell tool, after, 1 change", true},
		{"hook of a shell tool", "shell tool, after, 1 change", false},
		{"hook of an edit tool", "edit tool, after", false},
	} {
		files.add(c.name, treeSizes, func(n int) float64 {
			return took(results, "tool hooks, "+size(n)+" files", c.path+", "+size(n)+" files", c.reference)
		})
	}
	events := panel{title: "Length of the log", across: "events in the log"}
	for _, path := range grownPaths {
		events.add(path, logSizes, func(n int) float64 {
			for _, r := range results {
				if r.Reference == path+", "+size(fewEvents)+" events" && n == fewEvents {
					return processor(r.ReferenceCPU, r.ReferenceMS)
				}
				if r.Path == grownTitle(path, n) {
					return processor(r.OursCPU, r.OursMS)
				}
			}
			return 0
		})
	}
	return slices.DeleteFunc([]panel{files, events}, func(p panel) bool { return len(p.curves) == 0 })
}

// add takes a curve of at least two points.
func (p *panel) add(name string, sizes []int, at func(n int) float64) {
	c := curve{name: name}
	for _, n := range sizes {
		if ms := at(n); ms > 0 {
			c.points = append(c.points, point{float64(n), ms})
		}
	}
	if len(c.points) > 1 {
		p.curves = append(p.curves, c)
	}
}

func took(results []result, scenario, path string, reference bool) float64 {
	for _, r := range results {
		switch {
		case r.Scenario != scenario || r.Path != path:
		case reference:
			return processor(r.ReferenceCPU, r.ReferenceMS)
		default:
			return processor(r.OursCPU, r.OursMS)
		}
	}
	return 0
}

// processor prefers processor time, which other work on the machine changes least.
func processor(cpu, wall float64) float64 {
	if cpu > 0 {
		return cpu
	}
	return wall
}

// Sizes of the picture, in pixels.
const (
	panelWide, panelHigh = 470, 330
	plotLeft, plotTop    = 52, 44
	plotWide, plotHigh   = 250, 230
	labelGap             = 15
)

// hues are the lines' colours on a light and on a dark ground. Each line also has its name at its end.
var hues = [][2]string{{"#57606a", "#8b949e"}, {"#0969da", "#58a6ff"}, {"#1a7f37", "#3fb950"}, {"#9a6700", "#d29922"}}

// drawPicture draws panels beside each other as SVG.
func drawPicture(panels []panel) []byte {
	var b bytes.Buffer
	wide := panelWide * max(1, len(panels))
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n",
		wide, panelHigh, wide, panelHigh)
	b.WriteString("<title>How paths grow, in milliseconds of processor time</title>\n<style>\n" +
		"text{font:12px system-ui,sans-serif;fill:#1f2328}.h{font-weight:600;font-size:14px}.n{fill:#57606a}\n" +
		".g{stroke:#d0d7de;fill:none}path{fill:none;stroke-width:2}\n")
	light, dark := &bytes.Buffer{}, &bytes.Buffer{}
	for i, h := range hues {
		for j, out := range []*bytes.Buffer{light, dark} {
			fmt.Fprintf(out, ".c%d{stroke:%s}.d%d{fill:%s}", i, h[j], i, h[j])
		}
	}
	fmt.Fprintf(&b, "%s\n@media (prefers-color-scheme:dark){text{fill:#e6edf3}.n{fill:#8b949e}.g{stroke:#30363d}%s}\n"+
		"</style>\n", light, dark)
	for i, p := range panels {
		fmt.Fprintf(&b, `<g transform="translate(%d 0)">`+"\n", i*panelWide)
		p.draw(&b)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// scale lays whole powers of ten onto pixels.
type scale struct{ low, high, from, to float64 }

func scaleOf(values []float64, from, to float64) scale {
	low, high := math.Floor(math.Log10(slices.Min(values))+1e-9), math.Ceil(math.Log10(slices.Max(values))-1e-9)
	return scale{low, max(high, low+1), from, to}
}

func (s scale) at(v float64) float64 {
	return s.from + (math.Log10(v)-s.low)/(s.high-s.low)*(s.to-s.from)
}

func (p panel) draw(b *bytes.Buffer) {
	var sizes, times []float64
	for _, c := range p.curves {
		for _, at := range c.points {
			sizes, times = append(sizes, at.size), append(times, at.ms)
		}
	}
	x := scaleOf(sizes, plotLeft, plotLeft+plotWide)
	y := scaleOf(times, plotTop+plotHigh, plotTop)
	label(b, plotLeft, 20, "h", "start", p.title)
	label(b, plotLeft, 37, "n", "start", "ms of processor time")
	label(b, plotLeft+plotWide/2, plotTop+plotHigh+36, "n", "middle", p.across)
	for e := x.low; e <= x.high; e++ {
		at := x.at(math.Pow(10, e))
		line(b, at, plotTop, at, plotTop+plotHigh)
		label(b, at, plotTop+plotHigh+17, "n", "middle", size(int(math.Round(math.Pow(10, e)))))
	}
	for e := y.low; e <= y.high; e++ {
		at := y.at(math.Pow(10, e))
		line(b, plotLeft, at, plotLeft+plotWide, at)
		label(b, plotLeft-6, at+4, "n", "end", fmt.Sprintf("%g", math.Pow(10, e)))
	}
	names := p.names(y)
	for i, c := range p.curves {
		path := ""
		for n, at := range c.points {
			path += fmt.Sprintf("%c%.1f %.1f", "ML"[min(n, 1)], x.at(at.size), y.at(at.ms))
		}
		fmt.Fprintf(b, `<path class="c%d" d="%s"/>`+"\n", i%len(hues), path)
		for _, at := range c.points {
			fmt.Fprintf(b, `<circle class="d%d" cx="%.1f" cy="%.1f" r="3"/>`+"\n", i%len(hues), x.at(at.size), y.at(at.ms))
		}
		label(b, plotLeft+plotWide+8, names[i], fmt.Sprint("d", i%len(hues)), "start", c.name)
	}
}

// names returns the height of each curve's name: at its end, and none over another.
func (p panel) names(y scale) []float64 {
	order := make([]int, len(p.curves))
	high := make([]float64, len(p.curves))
	for i, c := range p.curves {
		order[i], high[i] = i, y.at(c.points[len(c.points)-1].ms)+4
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(high[a], high[b]) })
	for n := 1; n < len(order); n++ {
		high[order[n]] = max(high[order[n]], high[order[n-1]]+labelGap)
	}
	return high
}

func line(b *bytes.Buffer, x1, y1, x2, y2 float64) {
	fmt.Fprintf(b, `<line class="g" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", x1, y1, x2, y2)
}

func label(b *bytes.Buffer, x, y float64, class, anchor, text string) {
	fmt.Fprintf(b, `<text class="%s" x="%.1f" y="%.1f" text-anchor="%s">`, class, x, y, anchor)
	_ = xml.EscapeText(b, []byte(text)) // a buffer takes all
	b.WriteString("</text>\n")
}

// writePicture draws the growth that was measured.
func writePicture(path string, results []result) error {
	panels := growthPanels(results)
	if len(panels) == 0 {
		return fmt.Errorf("draw %s: no path was measured at two sizes", path)
	}
	if err := os.WriteFile(path, drawPicture(panels), 0o666); err != nil {
		return fmt.Errorf("draw: %w", err)
	}
	return nil
}
