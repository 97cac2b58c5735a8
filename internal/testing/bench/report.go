package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// result is a row with its figures.
type result struct {
	Scenario    string  `json:"scenario"`
	Path        string  `json:"path"`
	Reference   string  `json:"reference,omitempty"`
	OursMS      float64 `json:"ours_ms,omitempty"`
	ReferenceMS float64 `json:"reference_ms,omitempty"`
	Value       float64 `json:"value"`
	Unit        string  `json:"unit"` // "×", "ms", "MB"; "" for a plain number
	Bound       float64 `json:"bound"`
	Kept        bool    `json:"kept"`
	Rounds      int     `json:"rounds"`
	// Processor time varies less than elapsed time on a busy machine. It has no limit.
	OursCPU      float64 `json:"ours_cpu_ms,omitempty"`
	ReferenceCPU float64 `json:"reference_cpu_ms,omitempty"`
}

// judge compares the measurements with the promise.
func (r row) judge(name string, rec *recorder) result {
	ours := rec.of(r.ours)
	res := result{Scenario: name, Path: r.title, Bound: r.bound, OursMS: median(ours.times), OursCPU: median(ours.cpu),
		Rounds: len(ours.times)}
	if r.reference != "" {
		reference := rec.of(r.reference)
		res.Reference, res.ReferenceMS, res.ReferenceCPU = r.reference, median(reference.times), median(reference.cpu)
	}
	switch r.kind {
	case ratio:
		res.Unit = "×"
		if res.ReferenceMS > 0 {
			res.Value = res.OursMS / res.ReferenceMS
		}
	case work:
		res.Unit = "×"
		if res.ReferenceCPU > 0 {
			res.Value = res.OursCPU / res.ReferenceCPU
		}
	case extra:
		res.Unit, res.Value = "ms", res.OursMS-res.ReferenceMS
	case extraWork:
		res.Unit, res.Value = "ms", res.OursCPU-res.ReferenceCPU
	case limit:
		res.Unit, res.Value = "ms", res.OursMS
	case memory:
		res.Unit, res.Value, res.OursMS = "MB", float64(ours.rss)/(1<<20), 0
		res.OursCPU = 0
	case count:
		res.Value, res.OursMS = ours.count, 0
	}
	res.Kept = res.Value <= r.bound
	return res
}

func printRows(w io.Writer, results []result) {
	if len(results) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", results[0].Scenario)
	for _, r := range results {
		verdict := "ok"
		if !r.Kept {
			verdict = "MISSED"
		}
		ours, reference, cpu := "", "", ""
		if r.OursMS > 0 {
			ours = fmt.Sprintf("%.1f ms", r.OursMS)
		}
		if r.ReferenceMS > 0 {
			reference = fmt.Sprintf("%.1f ms %s", r.ReferenceMS, r.Reference)
		}
		if r.OursCPU > 0 && r.ReferenceCPU > 0 {
			cpu = fmt.Sprintf("cpu %.3g×", r.OursCPU/r.ReferenceCPU)
		}
		fmt.Fprintf(w, "  %-46s %10s %10s ≤ %-8s %-6s  %-11s  %s\n", r.Path, ours, figure(r.Value, r.Unit),
			figure(r.Bound, r.Unit), verdict, cpu, reference)
	}
}

// printMarkdown writes all results as one table, and a description of the machine below.
func printMarkdown(w io.Writer, b *bench, results []result) {
	fmt.Fprintf(w, "| path | compared with | measured | bound |\n| --- | --- | --- | --- |\n")
	missed := 0
	for _, r := range results {
		measured := figure(r.Value, r.Unit)
		if !r.Kept {
			measured = "**" + measured + ", missed**"
			missed++
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", r.Path, r.Reference, measured, figure(r.Bound, r.Unit))
	}
	rounds := fmt.Sprint(b.rounds)
	if b.most > b.rounds {
		rounds += fmt.Sprint(" to ", b.most)
	}
	fmt.Fprintf(w, "\n%d of %d kept; medians of %s rounds. %s.\n", len(results)-missed, len(results), rounds,
		strings.Join(b.machine(), ", "))
}

// figure writes a rounded value with its unit.
func figure(value float64, unit string) string {
	switch unit {
	case "×":
		return fmt.Sprintf("%.3g×", value)
	case "":
		return fmt.Sprintf("%.0f", value)
	}
	return fmt.Sprintf("%.1f %s", value, unit)
}

func printSummary(w io.Writer, b *bench, results []result) {
	missed := 0
	for _, r := range results {
		if !r.Kept {
			missed++
		}
	}
	fmt.Fprintf(w, "\n%d of %d budgets kept · %s\n", len(results)-missed, len(results), strings.Join(b.machine(), " · "))
}

// machine describes the machine without naming it.
func (b *bench) machine() []string {
	version, _ := exec.Command("git", "--version").Output()
	said := []string{
		runtime.GOOS + "/" + runtime.GOARCH, fmt.Sprintf("%d cores", runtime.NumCPU()), strings.TrimSpace(string(version)),
		runtime.Version(),
	}
	// Linux tells more: proc(5).
	if kernel, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		said = append(said, "kernel "+strings.TrimSpace(string(kernel)))
	}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, rest, ok := strings.Cut(string(text), "model name\t: "); ok {
			model, _, _ := strings.Cut(rest, "\n")
			said = append(said, model)
		}
	}
	return said
}

func printJSON(w io.Writer, b *bench, results []result) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(struct {
		Schema  string   `json:"schema"`
		Machine []string `json:"machine"`
		Results []result `json:"results"`
	}{"git-trace.bench/1", b.machine(), results})
}
