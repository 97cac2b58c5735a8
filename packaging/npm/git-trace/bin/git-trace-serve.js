#!/usr/bin/env node
require("../run.js")("git-trace-serve");
