// Tells git-trace what OpenCode does. Written by `git trace init`; `git trace uninstall` removes it.
// command: @COMMAND@
import { spawn } from "node:child_process";

@REPORT@
export const GitTrace = async ({ client, directory }) => {
  const parents = new Map(); // session → the session that it is a sub-agent of, undefined for none
  const models = new Map(); // session → its model
  const open = new Set(); // calls whose end has not been told
  const asked = new Map(); // question → the call that waits for the answer
  const began = new Map(); // call → when the person consented to it
  const refused = new Set(); // calls to which they did not

  // lasted is for how many milliseconds a call that waited for consent was at work.
  const lasted = (call) => {
    const since = began.get(call);
    began.delete(call);
    return since && Math.max(Date.now() - since, 1);
  };

  const parentOf = async (session) => {
    if (!parents.has(session)) {
      let parent;
      try {
        parent = (await client.session.get({ path: { id: session } }))?.data?.parentID;
      } catch {}
      parents.set(session, parent);
    }
    return parents.get(session);
  };

  const rootOf = async (session) => {
    for (let depth = 0; depth < 32; depth++) {
      const parent = await parentOf(session);
      if (!parent) break;
      session = parent;
    }
    return session;
  };

  const tell = async (event, session, own) => {
    try {
      const root = await rootOf(session);
      await report(event, {
        session_id: root,
        subagent_id: root === session ? undefined : session,
        cwd: directory,
        model: models.get(session),
        pid: process.pid,
        ...own,
      });
    } catch {}
  };

  return {
    event: async ({ event }) => {
      const p = event?.properties;
      switch (event?.type) {
        case "session.created":
          parents.set(p.info.id, p.info.parentID);
          return tell(event.type, p.info.id, {});
        case "session.idle":
          return tell(event.type, p.sessionID, {});
        case "permission.asked": {
          asked.set(p.id, p.tool?.callID);
          return tell(event.type, p.sessionID, { call_id: p.tool?.callID });
        }
        case "permission.replied":
          if (p.reply === "reject") refused.add(asked.get(p.requestID));
          else began.set(asked.get(p.requestID), Date.now());
          asked.delete(p.requestID);
          return;
        case "message.part.updated": {
          const part = p.part;
          if (part?.type !== "tool" || part.state?.status !== "error" || !open.delete(part.callID)) return;
          return tell("tool.failed", part.sessionID, { tool_name: part.tool, call_id: part.callID, input: part.state.input, duration_ms: lasted(part.callID), rejected: refused.delete(part.callID) });
        }
      }
    },
    "chat.message": async (input, output) => {
      const model = output?.message?.model ?? input?.model;
      if (model) models.set(input.sessionID, model.modelID);
      if (await parentOf(input.sessionID)) return; // what a sub-agent is told was not said by a person
      const text = (output?.parts ?? []).filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text);
      return tell("chat.message", input.sessionID, { prompt: text.join("\n"), prompt_id: output?.message?.id });
    },
    "tool.execute.before": async (input, output) => {
      open.add(input.callID);
      return tell("tool.execute.before", input.sessionID, { tool_name: input.tool, call_id: input.callID, input: output?.args });
    },
    "tool.execute.after": async (input) => {
      open.delete(input.callID);
      return tell("tool.execute.after", input.sessionID, { tool_name: input.tool, call_id: input.callID, input: input.args, duration_ms: lasted(input.callID) });
    },
  };
};
