// Tells git-trace what Amp does. Written by `git trace init`; `git trace uninstall` removes it.
// command: @COMMAND@
import { spawn } from "node:child_process";

@REPORT@
export default function (amp: any) {
  const root = () => {
    try {
      return amp.helpers.filePathFromURI(amp.system.workspaceRoot);
    } catch {
      return process.cwd(); // Amp has no workspace
    }
  };

  const on = (name: string, answer: object | undefined, fields: (e: any) => object) => {
    try {
      amp.on(name, async (e: any) => {
        try {
          await report(name, { session_id: e.thread.id, cwd: root(), pid: process.ppid, ...fields(e) });
        } catch {}
        return answer;
      });
    } catch {} // an event that this version does not have
  };

  const call = (e: any) => ({ tool_name: e.tool, call_id: e.toolUseID, input: e.input, status: e.status });
  on("session.start", undefined, () => ({}));
  on("agent.start", {}, (e) => ({ prompt: e.message, prompt_id: e.id }));
  on("tool.call", { action: "allow" }, call);
  on("tool.result", undefined, call);
  on("agent.end", undefined, () => ({}));
}
