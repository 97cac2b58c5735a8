package main

import "os"

func mostMemory(*os.ProcessState) int64 { return 0 }
