// Plays the extension for Visual Studio Code with a stub of the editor and the real server:
//
//	node vscode.js EXTENSION PROGRAM FILE
//
// It prints what a person would see, as JSON.
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const Module = require("node:module");
const { pathToFileURL } = require("node:url");

const [extension, program, file] = process.argv.slice(2);
const out = {};
const settings = { program, show: "file" };
const commands = {};
const listeners = {};
const on = (name) => (listener) => {
  const before = listeners[name];
  listeners[name] = (event) => { before?.(event); listener(event); };
  return { dispose() {} };
};
const status = { shown: false, dispose() {}, show() { this.shown = true; }, hide() { this.shown = false; } };

class Range {
  constructor(startLine, startCharacter, endLine, endCharacter) { Object.assign(this, { startLine, endLine }); }
}
const uri = { scheme: "file", toString: () => pathToFileURL(file).href };
const document = { uri, version: 1, eol: 1, getText: () => fs.readFileSync(file, "utf8") };
const drawn = new Map();
const editor = {
  document,
  selection: { active: { line: 10 } },
  setDecorations: (type, ranges) => drawn.set(type, ranges),
};
const opened = [];
let provider;

const vscode = {
  Range,
  EndOfLine: { LF: 1, CRLF: 2 },
  OverviewRulerLane: { Left: 1 },
  TextDocumentSaveReason: { Manual: 1 },
  StatusBarAlignment: { Right: 2 },
  ConfigurationTarget: { Global: 1 },
  Uri: {
    parse: (text) => ({ path: new URL(text).pathname, toString: () => text }),
    from: (parts) => ({ ...parts, toString: () => `${parts.scheme}:${parts.path}?${parts.query}` }),
  },
  env: { clipboard: { writeText: async (text) => { out.copied = text; } } },
  window: {
    activeTextEditor: editor,
    visibleTextEditors: [editor],
    state: { active: true },
    onDidChangeVisibleTextEditors: on("visible"),
    onDidChangeWindowState: on("window"),
    createStatusBarItem: () => status,
    createTextEditorDecorationType: (about) => ({ about, dispose() { out.disposed = true; } }),
    onDidChangeActiveTextEditor: on("editor"),
    onDidChangeTextEditorSelection: on("selection"),
  },
  workspace: {
    getConfiguration: () => ({
      get: (name, otherwise) => settings[name] ?? otherwise,
      update: async (name, value) => {
        settings[name] = value;
        listeners.configuration({ affectsConfiguration: (key) => key === `gitTrace.${name}` });
      },
    }),
    onWillSaveTextDocument: on("saving"),
    onDidSaveTextDocument: on("save"),
    onDidCloseTextDocument: on("close"),
    onDidChangeTextDocument: on("change"),
    onDidChangeConfiguration: on("configuration"),
    registerTextDocumentContentProvider: (_, p) => { provider = p; return { dispose() {} }; },
  },
  commands: {
    registerCommand: (name, run) => { commands[name] = run; return { dispose() {} }; },
    executeCommand: async (name, ...args) => {
      if (name === "markdown.showPreview") return opened.push(provider.provideTextDocumentContent(args[0]));
      return commands[name](...args);
    },
  },
};

// LanguageClient speaks the protocol with the server, as that of the editor does.
class LanguageClient {
  constructor(id, name, server, options) { Object.assign(this, { server, options, waiting: new Map(), id: 0 }); }

  async start() {
    this.process = spawn(this.server.command, this.server.args, { stdio: ["pipe", "pipe", "inherit"] });
    let buffer = Buffer.alloc(0);
    this.process.stdout.on("data", (data) => {
      buffer = Buffer.concat([buffer, data]);
      for (;;) {
        const end = buffer.indexOf("\r\n\r\n");
        if (end < 0) return;
        const size = Number(/Content-Length: (\d+)/.exec(buffer.subarray(0, end))[1]);
        if (buffer.length < end + 4 + size) return;
        const message = JSON.parse(buffer.subarray(end + 4, end + 4 + size));
        buffer = buffer.subarray(end + 4 + size);
        const done = this.waiting.get(message.id);
        if (!message.method && done) message.error ? done.bad(new Error(message.error.message)) : done.good(message.result);
      }
    });
    const { capabilities } = await this.sendRequest("initialize", {
      capabilities: {}, initializationOptions: this.options.initializationOptions });
    for (const name of capabilities.executeCommandProvider.commands) {
      const next = (command, args) => this.sendRequest("workspace/executeCommand", { command, arguments: args });
      commands[name] = (...args) => this.options.middleware.executeCommand(name, args, next);
    }
    this.send({ method: "textDocument/didOpen", params: {
      textDocument: { uri: uri.toString(), languageId: "go", version: 1, text: document.getText() } } });
  }

  send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.process.stdin.write(body);
  }

  registerFeature() {}

  sendRequest(method, params) {
    const id = ++this.id;
    this.send({ id, method, params });
    return new Promise((good, bad) => this.waiting.set(id, { good, bad }));
  }

  async stop() {
    await this.sendRequest("shutdown", null);
    this.send({ method: "exit" });
    await new Promise((done) => this.process.on("exit", done));
  }
}

const load = Module._load;
Module._load = (name, ...rest) => {
  if (name === "vscode") return vscode;
  if (name === "vscode-languageclient/node") return { LanguageClient, RevealOutputChannelOn: { Never: 4 } };
  return load(name, ...rest);
};

async function until(done, what) {
  for (let i = 0; !done(); i++) {
    if (i > 1200) throw new Error(`waited in vain: ${what}`);
    await new Promise((next) => setTimeout(next, 50));
  }
}
const lines = () => [...drawn].flatMap(([type, ranges]) => ranges.map((r) => `${r.startLine + 1}-${r.endLine + 1}`)).join(" ");

(async () => {
  const it = require(extension);
  const context = { subscriptions: [] };
  await it.activate(context);
  await until(() => lines() !== "", "bars");
  out.bars = lines();
  out.icon = [...drawn.keys()][0].about.gutterIconPath.toString();
  out.status = status.shown && status.text;
  editor.selection.active.line = 0;
  listeners.selection();
  out.person = status.shown;
  editor.selection.active.line = 10;
  await commands["gitTrace.toggle"]();
  await until(() => lines() === "" && status.shown, "no bars");
  out.show = settings.show;
  await commands["gitTrace.whyHere"]();
  out.why = opened.pop();
  await commands["gitTrace.copy"](uri.toString(), "c86c#1");
  settings.show = "off";
  listeners.configuration({ affectsConfiguration: () => true });
  await until(() => !status.shown, "nothing");
  for (const one of context.subscriptions) one.dispose();
  await it.deactivate();
  console.log(JSON.stringify(out));
})().catch((error) => { console.error(error); process.exit(1); });
