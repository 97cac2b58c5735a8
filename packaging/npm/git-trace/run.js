// Runs a program of the package for this system, with the same arguments, input, output and exit status.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

module.exports = function run(program) {
  const name = `@git-trace/${process.platform}-${process.arch}`;
  let path;
  try {
    path = require.resolve(`${name}/bin/${program}${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    console.error(`${program}: error: the package ${name} is missing`);
    console.error(`${program}: hint: install git-trace without --omit=optional, or take an archive of a release`);
    process.exit(1);
  }
  const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
  child.on("error", (err) => {
    console.error(`${program}: error: ${err.message}`);
    process.exit(1);
  });
  // A terminal sends its signals to the program as well; signals for this process alone are passed on.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => signal === "SIGINT" || child.kill(signal));
  }
  child.on("close", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
};
