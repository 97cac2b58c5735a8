// Tells git-trace of accepted completions, and of the lines that a person typed and saved.
const { spawn } = require("node:child_process");
const crypto = require("node:crypto");
const path = require("node:path");
const vscode = require("vscode");
const { Buffer, isTyped } = require("./buffer.js");

const soon = 150; // milliseconds until what came is taken into account
const late = 2000; // milliseconds after which nobody says any more that a change was a completion
const apart = 1500; // milliseconds after which another part is another completion
const mostText = 4 << 20; // characters of a text that is followed
const mostWaiting = 64; // events that wait for the program
const mostHeld = 32; // completions in a buffer that has no name yet
const longest = 30_000; // milliseconds that the program may take

/** Extensions that complete, by their id, and what they are called. Who gave a completion is not told to others: it is
 *  the one of them that is at work. */
const providers = new Map(Object.entries({
  "github.copilot": "copilot",
  "codeium.codeium": "codeium",
  "continue.continue": "continue",
  "tabnine.tabnine-vscode": "tabnine",
  "supermaven.supermaven": "supermaven",
  "amazonwebservices.amazon-q-vscode": "amazon-q",
  "google.geminicodeassist": "gemini-code-assist",
  "sourcegraph.cody-ai": "cody",
  "augment.vscode-augment": "augment",
  "tabbyml.vscode-tabby": "tabby",
  "mistralai.mistral-code": "mistral-code",
}));

/** @returns {{agent: string, model?: string}} */
function provider() {
  const active = vscode.extensions.all.filter((e) => e.isActive).flatMap((e) => providers.get(e.id.toLowerCase()) ?? []);
  if (active.length === 0 && vscode.env.appName === "Windsurf") active.push("windsurf");
  if (active.length !== 1) return { agent: "inline-suggestion" };
  const model = active[0] === "copilot" && vscode.workspace.getConfiguration("github.copilot").get("selectedCompletionModel", "");
  return model ? { agent: active[0], model } : { agent: active[0] };
}

exports.Teller = class {
  /** @param {() => string} program */
  constructor(program) {
    this.program = program;
    this.session = `vscode-${crypto.randomBytes(6).toString("hex")}`;
    /** @type {Map<import("vscode").TextDocument, InstanceType<typeof Buffer>>} */
    this.buffers = new Map();
    /** @type {Map<InstanceType<typeof Buffer>, import("./buffer.js").Completion[]>} */
    this.held = new Map(); // of buffers that have no name yet
    /** @type {{agent: string, model?: string}} */
    this.last = { agent: "" }; // who gave the last completion
    this.queue = Promise.resolve();
    this.queued = 0;
    /** @type {NodeJS.Timeout | undefined} */
    this.timer;
  }

  /** @returns {import("vscode").Disposable[]} */
  listen() {
    this.follow();
    return [
      vscode.window.onDidChangeVisibleTextEditors(() => this.follow()),
      vscode.workspace.onDidChangeConfiguration((event) => { if (event.affectsConfiguration("gitTrace.tell")) this.follow(); }),
      vscode.workspace.onDidChangeTextDocument((event) => this.changed(event)),
      vscode.workspace.onWillSaveTextDocument((event) => this.mark(event.document,
        event.reason === vscode.TextDocumentSaveReason.Manual ? "by hand" : "begun")),
      vscode.workspace.onDidSaveTextDocument((document) => this.mark(document, "done")),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.settle(document, Infinity);
        const buffer = this.buffers.get(document);
        if (buffer) this.held.delete(buffer);
        this.buffers.delete(document);
      }),
      vscode.commands.registerCommand("gitTrace.accepted", () => this.accepted()),
      { dispose: () => clearTimeout(this.timer) },
    ];
  }

  /** Follows the files that are shown, and the buffers that may become files. */
  follow() {
    if (!vscode.workspace.getConfiguration("gitTrace").get("tell", true)) {
      this.held.clear();
      return this.buffers.clear();
    }
    for (const { document } of vscode.window.visibleTextEditors) {
      if (document.uri.scheme !== "file" && !document.isUntitled || this.buffers.has(document)) continue;
      const text = document.getText();
      if (text.length <= mostText) this.buffers.set(document, new Buffer(text, eolOf(document)));
    }
  }

  /** @param {import("vscode").TextDocumentChangeEvent} event */
  changed({ document, contentChanges, reason }) {
    const buffer = this.buffers.get(document);
    if (!buffer || contentChanges.length === 0) return;
    const editor = vscode.window.activeTextEditor;
    const changes = contentChanges.map(({ range, text }) => ({ start: range.start, end: range.end, text }));
    const typed = reason === undefined && editor?.document === document && isTyped(changes, editor.selections);
    buffer.change(Date.now(), changes, typed, reason !== undefined);
    this.timer ??= setTimeout(() => this.tick(), soon);
  }

  /** @param {import("vscode").TextDocument} document
   *  @param {"begun" | "by hand" | "done"} save */
  mark(document, save) {
    if (save !== "done") this.name(document);
    this.buffers.get(document)?.waiting.push({ at: Date.now(), save });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tick()); // before somebody else looks at the file
  }

  /** Gives a file what was done in a buffer without a name that is saved as this file now: it has the same text.
   *  @param {import("vscode").TextDocument} document */
  name(document) {
    for (const [untitled, buffer] of this.buffers) {
      if (!untitled.isUntitled || document.isUntitled || untitled.getText() !== document.getText()) continue;
      this.settle(untitled, Infinity);
      this.buffers.delete(untitled);
      this.buffers.set(document, buffer);
      return;
    }
  }

  /** Takes the last change for a completion: the editor's own command came before this one. */
  accepted() {
    const document = vscode.window.activeTextEditor?.document;
    const buffer = document && this.buffers.get(document);
    if (!buffer) return;
    this.last = provider();
    buffer.accept(this.last.agent);
  }

  /** Takes the changes into account that came a while ago. */
  tick() {
    const now = Date.now();
    let busy = false;
    for (const [document, buffer] of this.buffers) {
      this.settle(document, now - late);
      busy ||= buffer.waiting.length > 0 || buffer.open !== undefined;
    }
    this.timer = busy ? setTimeout(() => this.tick(), soon) : undefined;
  }

  /** @param {import("vscode").TextDocument} document
   *  @param {number} until */
  settle(document, until) {
    const buffer = this.buffers.get(document);
    if (!buffer) return;
    const held = this.held.get(buffer) ?? [];
    this.held.delete(buffer);
    if (!document.isUntitled) this.completed(document, held.splice(0));
    for (const { completion, saved } of buffer.settle(until, until + late - apart)) {
      if (completion && document.isUntitled) held.push(completion);
      else if (completion) this.completed(document, [completion]);
      if (saved) this.tell("saved", document, { agent: "vscode" }, saved.at, [{ after: saved.after, typed: saved.typed, put: saved.put }]);
    }
    if (held.length > 0) this.held.set(buffer, held.slice(0, mostHeld));
    if (buffer.waiting.length === 0 && buffer.lines.length !== document.lineCount) {
      this.buffers.delete(document); // it is not what it was taken for: begin anew
      this.follow();
    }
    buffer.eol = eolOf(document);
  }

  /** Tells of completions, those in a row of one provider together.
   *  @param {import("vscode").TextDocument} document
   *  @param {import("./buffer.js").Completion[]} list */
  completed(document, list) {
    while (list.length > 0) {
      const agent = list[0].provider, others = list.findIndex((c) => c.provider !== agent);
      const { model } = this.last.agent === agent ? this.last : {};
      this.tell("completion", document, { agent, ...(model && { model }) }, list[0].at,
        list.splice(0, others < 0 ? list.length : others).map(({ before, after, typed, put }) => ({ before, after, typed, put })));
    }
  }

  /** Whether something completes in this window.
   *  @returns {boolean} */
  completes() { return this.last.agent !== "" || provider().agent !== "inline-suggestion"; }

  /** Starts the program in the folder of the file, one after the other. Nobody waits for it.
   *  @param {string} event
   *  @param {import("vscode").TextDocument} document
   *  @param {object} who
   *  @param {number} at when the person did it
   *  @param {Record<string, unknown>[]} edits */
  tell(event, document, who, at, edits) {
    if (this.queued >= mostWaiting) return;
    if (event === "saved" && !this.completes()) edits = edits.map(({ put, ...edit }) => edit);
    this.queued++;
    const cwd = path.dirname(document.uri.fsPath);
    const payload = JSON.stringify({
      schema: "git-trace.hook/1", session: this.session, cwd, ...who, time: new Date(at).toISOString(),
      tool: { edits: edits.map((edit) => ({ path: path.basename(document.uri.fsPath), ...edit })) },
    });
    this.queue = this.queue.then(() => new Promise((/** @type {(_: void) => void} */ done) => {
      const told = spawn(this.program(), ["hook", "generic", event],
        { cwd, stdio: ["pipe", "ignore", "ignore"], timeout: longest, windowsHide: true });
      told.on("error", () => done()); // it is not here: the server's start says so
      told.on("close", () => done());
      told.stdin.on("error", () => {});
      told.stdin.end(payload);
    })).then(() => { this.queued--; });
  }
};

/** @param {import("vscode").TextDocument} document */
const eolOf = (document) => (document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n");
