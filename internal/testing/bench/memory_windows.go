package main

import "os"

// peakMemory is not to be had here without asking while the process runs.
func peakMemory(*os.ProcessState) int64 { return 0 }
