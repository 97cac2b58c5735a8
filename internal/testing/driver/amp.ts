// Plays a conversation with the plugins of Amp in Amp's own plugin runtime. It stands in for Amp's server, which works
// only with an account: it asks the scripted model, makes the calls, and sends the events that Amp's documents name.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const [url, model, prompt, resumed] = process.argv.slice(2);
const client = process.execPath;
const { BUN_BE_BUN, ...env } = process.env;
const run = (program: string, args: string[]) => execFileSync(program, args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
const root = run("git", ["rev-parse", "--show-toplevel"]).trim();
const thread = { id: resumed || "T-" + crypto.randomUUID() };

// The client writes its runtime to a file for as long as a plugin runs: a plugin of our own keeps it.
const dir = mkdtempSync(join(tmpdir(), "amp-"));
const runtime = join(dir, "runtime.ts");
writeFileSync(join(dir, "keep.ts"), `export default () => require("fs").copyFileSync(process.argv[1], ${JSON.stringify(runtime)});`);
run(client, ["plugins", "exec", join(dir, "keep.ts"), "session.start", "--data", JSON.stringify({ thread })]);

// plugin starts a plugin, and gives the function that asks it.
async function plugin(path: string) {
  const child = spawn(client, [runtime, path], {
    cwd: dirname(path),
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...env, BUN_BE_BUN: "1", AMP_PLUGIN_URI: pathToFileURL(path).href, AMP_PLUGIN_RUNTIME_LOG_FILE: join(dir, "log") },
  });
  const waiting = new Map<string, (result: any) => void>();
  const send = (message: object) => child.stdin.write(JSON.stringify(message) + "\n");
  const hear = (m: any) => {
    if (m.type === "event") waiting.get(m.event)?.(m.data);
    else if (m.type === "response") waiting.get(m.id)?.(m.error ? { failed: m.error } : m.result);
    else if (m.method === "client.info")
      send({ type: "response", id: m.id, result: { ampURL: "https://ampcode.com/", workspaceRoot: pathToFileURL(root).href, authenticatedUser: null, executorKind: "local" } });
    else send({ type: "response", id: m.id, error: "No handler for plugin request method: " + m.method });
  };
  let half = "";
  child.stdout.on("data", (piece) => {
    const lines = (half + piece).split("\n");
    half = lines.pop()!;
    for (const line of lines) if (line) hear(JSON.parse(line));
  });
  await new Promise((ready) => waiting.set("runtime.ready", ready));
  let asked = 0;
  return (method: string, params: object) =>
    new Promise<any>((resolve) => {
      const id = String(++asked);
      waiting.set(id, resolve);
      send({ type: "request", id, method, params });
    });
}

const plugins: ((method: string, params: object) => Promise<any>)[] = [];
for (const place of [join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "amp", "plugins"), join(root, ".amp", "plugins")])
  if (existsSync(place)) for (const name of readdirSync(place)) plugins.push(await plugin(join(place, name)));

async function tell(method: string, fields: object, wanted?: string) {
  const all = plugins.map((one) => one(method, { thread, ...fields }));
  for (const answer of await Promise.all(all)) {
    if (answer?.failed || (wanted && answer?.action !== wanted)) throw new Error(method + ": " + JSON.stringify(answer));
  }
}

const tools: Record<string, (input: any) => string> = {
  create_file: ({ path, content }) => (mkdirSync(dirname(path), { recursive: true }), writeFileSync(path, content), "created"),
  edit_file: ({ path, old_str, new_str }) => {
    const text = readFileSync(path, "utf8");
    if (!text.includes(old_str)) throw new Error("no such text");
    writeFileSync(path, text.replace(old_str, () => new_str));
    return "edited";
  },
};

// Bash must not keep the calls beside it waiting.
const shell = ({ cmd }: any) =>
  new Promise<string>((resolve, reject) => {
    let out = "";
    const child = spawn("/bin/sh", ["-c", cmd], { env, cwd: root, stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.on("data", (piece) => (out += piece));
    child.on("exit", (code) => (code === 0 ? resolve(out) : reject(new Error("exit code " + code))));
  });

async function call(block: any) {
  const about = { toolUseID: block.id, tool: block.name, input: block.input };
  await tell("tool.call", about, "allow");
  let status = "done", output;
  try {
    output = block.name === "Bash" ? await shell(block.input) : tools[block.name](block.input);
  } catch (e) {
    [status, output] = ["error", String(e)];
  }
  await tell("tool.result", { ...about, status, output });
  return { type: "tool_result", tool_use_id: block.id, content: output || "nothing" };
}

console.log(JSON.stringify({ thread: thread.id }));
for (const one of plugins) await one("event", { event: "session.start", data: { thread } });
await tell("agent.start", { message: prompt, id: "M-" + crypto.randomUUID() });
const messages: any[] = [{ role: "user", content: prompt }];
for (;;) {
  const answer = await fetch(url + "/v1/messages", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, max_tokens: 4096, messages, tools: ["create_file", "edit_file", "Bash"].map((name) => ({ name, input_schema: { type: "object" } })) }),
  });
  const { content } = await answer.json();
  messages.push({ role: "assistant", content });
  for (const block of content) if (block.type === "text") console.log(JSON.stringify({ answer: block.text }));
  const calls = content.filter((block: any) => block.type === "tool_use");
  if (calls.length === 0) break;
  messages.push({ role: "user", content: await Promise.all(calls.map(call)) });
}
await tell("agent.end", { message: prompt, status: "done", messages: [] });
process.exit(0);
