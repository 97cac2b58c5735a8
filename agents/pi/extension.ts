// Tells git-trace what Pi does. Written by `git trace init`; `git trace uninstall` removes it.
// command: @COMMAND@
import { spawn } from "node:child_process";

const program = @PROGRAM@;
const patience = 3000; // milliseconds that Pi waits for one report

// report ends when git-trace has looked at the work tree, and never fails: Pi must not notice.
function report(event: string, fields: object): Promise<void> {
  return new Promise((resolve) => {
    try {
      const child = spawn(program, ["hook", "pi", event], { stdio: ["pipe", "ignore", "ignore"] });
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

export default function (pi: any) {
  const open = new Set<string>(); // calls whose result has not come

  const on = (name: string, fields: (e: any) => object | undefined) => {
    try {
      pi.on(name, async (e: any, ctx: any) => {
        try {
          const own = fields(e);
          if (own === undefined) return;
          const manager = ctx?.sessionManager;
          await report(name, {
            session_id: manager?.getSessionId?.(),
            session_file: manager?.getSessionFile?.(),
            cwd: ctx?.cwd ?? process.cwd(),
            model: ctx?.model?.id,
            pid: process.pid,
            ...own,
          });
        } catch {}
      });
    } catch {} // an event that this version does not have
  };

  on("session_start", (e) => ({ reason: e.reason }));
  on("before_agent_start", (e) => ({ prompt: e.prompt }));
  on("tool_call", (e) => {
    open.add(e.toolCallId);
    return { tool_name: e.toolName, tool_call_id: e.toolCallId, input: e.input };
  });
  on("tool_result", (e) => {
    open.delete(e.toolCallId);
    return { tool_name: e.toolName, tool_call_id: e.toolCallId, input: e.input, is_error: e.isError };
  });
  on("tool_execution_end", (e) => {
    if (!open.delete(e.toolCallId)) return undefined;
    return { tool_name: e.toolName, tool_call_id: e.toolCallId, is_error: true };
  });
  on("agent_end", () => ({}));
  on("session_shutdown", (e) => ({ reason: e.reason }));
}
