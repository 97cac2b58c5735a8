const program = @PROGRAM@;
const patience = 3000; // milliseconds that the agent waits for one report

// report ends when git-trace has looked at the work tree, and never fails: the agent must not notice.
function report(event, fields) {
  return new Promise((resolve) => {
    try {
      const child = spawn(program, ["hook", "@AGENT@", event], { stdio: ["pipe", "ignore", "ignore"] });
      const timer = setTimeout(() => {
        child.kill("SIGKILL");
        resolve();
      }, patience);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      child.on("error", done);
      child.on("close", done);
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify(fields));
    } catch {
      resolve();
    }
  });
}
