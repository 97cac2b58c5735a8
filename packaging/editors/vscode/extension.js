// Who wrote a line, and why, in Visual Studio Code: hover, hints and actions come from git trace lsp; this adds the pages,
// the bars beside lines, and the owner of the line at the cursor.
const { execFile } = require("node:child_process");
const path = require("node:path");
const vscode = require("vscode");
const { Teller } = require("./teller.js");

/** @type {import("vscode-languageclient/node").LanguageClient | undefined} */
let client;

/** @type {Map<string, string>} */
const pages = new Map(); // Markdown by the address it is shown at
const mostPages = 20;
let shown = 0;

/** @typedef {{start: number, count: number, id: string, label: string, hue: number}} Block lines of one prompt, from 1 */

/** @type {{document: import("vscode").TextDocument, blocks: Block[]} | undefined} */
let told; // of the document that is shown
/** @type {import("vscode").StatusBarItem} */
let status;
let named = ""; // by the status bar
/** @type {import("vscode").TextEditorDecorationType[]} */
let bars = []; // by hue
/** @type {NodeJS.Timeout | undefined} */
let soon;
const settled = 300; // milliseconds without typing
const unused = 300_000; // milliseconds after which the server of a window is stopped
let turning = Promise.resolve();
/** @type {NodeJS.Timeout | undefined} */
let leaving;

/** What is shown of itself: "off", "line" (the owner of the line at the cursor), or "file" (also hints and bars). */
const mode = () => vscode.workspace.getConfiguration("gitTrace").get("show", "line");

const lenses = () => vscode.workspace.getConfiguration("gitTrace").get("codeLens", false);

const program = () => vscode.workspace.getConfiguration("gitTrace").get("program", "git-trace");
const oldest = [0, 1, 0]; // the version of git-trace that takes what is told
let hinted = false;

/** Says once what keeps the extension from its work.
 *  @param {string} what
 *  @returns {Promise<void>} */
async function hint(what) {
  if (hinted) return;
  hinted = true;
  const settings = "Open the settings";
  if (await vscode.window.showWarningMessage(what, settings) === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "gitTrace");
  }
}

/** Whether the program is here and new enough.
 *  @returns {Promise<boolean>} */
async function usable() {
  const said = await new Promise((done) => execFile(program(), ["version"], { timeout: 10_000 },
    (error, out) => done(error ? undefined : String(out))));
  const version = /(\d+)\.(\d+)\.(\d+)/.exec(said ?? "")?.slice(1).map(Number);
  if (!version) {
    void hint(`git trace: the program ${program()} does not start. Install git-trace, or name it in gitTrace.program.`);
    return false;
  }
  const differs = version.findIndex((n, i) => n !== oldest[i]);
  if (differs >= 0 && version[differs] < oldest[differs]) {
    void hint(`git trace: git-trace ${version.join(".")} is too old: the extension wants ${oldest.join(".")} or newer.`);
    return false;
  }
  return true;
}

/** The server need not open pages: the extension shows what a command gives.
 *  @type {import("vscode-languageclient/node").StaticFeature} */
const showsItself = {
  fillClientCapabilities: (capabilities) => { delete capabilities.window?.showDocument; },
  initialize: () => {},
  getState: () => ({ kind: "static" }),
  clear: () => {},
};

/** Starts the server.
 *  @returns {Promise<void>} */
async function start() {
  if (!await usable()) return;
  const { LanguageClient, RevealOutputChannelOn } = require("vscode-languageclient/node"); // it is large
  client = new LanguageClient("gitTrace", "git trace", { command: program(), args: ["lsp"] },
    {
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      documentSelector: [{ scheme: "file" }],
      initializationOptions: { copy: true, codeLens: lenses() },
      middleware: {
        executeCommand: run,
        provideInlayHints: (document, range, token, next) => (mode() === "file" ? next(document, range, token) : []),
      },
    });
  client.registerFeature(showsItself);
  await client.start().catch(() => hint("git trace: the server does not start: git-trace-serve has to be beside git-trace or in PATH."));
}

/** Runs the server while a file is shown and somebody is at work in the window.
 *  @returns {void} */
function attend() {
  clearTimeout(leaving);
  const wanted = vscode.window.visibleTextEditors.some((editor) => editor.document.uri.scheme === "file");
  if (wanted && vscode.window.state.active) void turn(true);
  else leaving = setTimeout(() => turn(false), wanted ? unused : settled);
}

/** Starts or stops the server, one after the other.
 *  @param {boolean} on
 *  @returns {Promise<void>} */
function turn(on) {
  turning = turning.then(async () => {
    if (on === (client !== undefined)) return;
    if (on) {
      await start();
      refresh();
    } else {
      const old = client;
      client = undefined;
      await old?.stop();
    }
  }).catch(() => {});
  return turning;
}

/** Runs a command of the server, and shows the page or copies the id that it gives.
 *  @param {string} command
 *  @param {any[]} args
 *  @param {(command: string, args: any[]) => import("vscode").ProviderResult<any>} next
 *  @returns {Promise<any>} */
async function run(command, args, next) {
  const text = await next(command, args);
  if (typeof text !== "string" || text === "") return text;
  if (command === "gitTrace.copy") await vscode.env.clipboard.writeText(text);
  else await show(`${path.basename(vscode.Uri.parse(args[0]).path)} ${args[1]}`, text);
  return text;
}

/** Shows a page of Markdown that cannot be changed. The preview runs nothing that stands in it.
 *  @param {string} name
 *  @param {string} text
 *  @returns {Promise<void>} */
async function show(name, text) {
  const address = vscode.Uri.from({ scheme: "git-trace", path: `/${name}.md`, query: String(++shown) });
  pages.set(address.toString(), text);
  for (const oldest of [...pages.keys()].slice(0, -mostPages)) pages.delete(oldest);
  await vscode.commands.executeCommand("markdown.showPreview", address);
}

/** The bar beside lines of a hue. Its colour stands out on light and on dark.
 *  @param {number} hue
 *  @returns {import("vscode").TextEditorDecorationType} */
function barOf(hue) {
  const colour = `hsl(${hue * 30}, 65%, 50%)`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="6" width="4" height="16" fill="${colour}"/></svg>`;
  return vscode.window.createTextEditorDecorationType({
    gutterIconPath: vscode.Uri.parse(`data:image/svg+xml;utf8,${encodeURIComponent(svg)}`),
    gutterIconSize: "cover",
    overviewRulerColor: colour,
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
}

/** Asks who wrote the lines of the document that is shown, a while after the last change.
 *  @returns {void} */
function refresh() {
  clearTimeout(soon);
  soon = setTimeout(ask, settled);
}

/** @returns {Promise<void>} */
async function ask() {
  const editor = vscode.window.activeTextEditor;
  const document = editor?.document;
  if (mode() === "off" || !client || document?.uri.scheme !== "file") {
    told = undefined;
    return draw();
  }
  const version = document.version;
  const answer = await client.sendRequest("gitTrace/runs", { textDocument: { uri: document.uri.toString() } })
    .catch(() => undefined); // cancelled, or the server restarts: the next change asks again
  if (vscode.window.activeTextEditor?.document !== document || document.version !== version) return;
  told = { document, blocks: answer?.blocks ?? [] };
  draw();
}

/** Draws what is known.
 *  @returns {void} */
function draw() {
  const editor = vscode.window.activeTextEditor;
  const blocks = told && told.document === editor?.document ? told.blocks : [];
  const line = (editor?.selection.active.line ?? -1) + 1;
  const block = blocks.find((b) => b.start <= line && line < b.start + b.count);
  const label = block?.label ?? "";
  if (label !== named) { // each call goes to the window, at each key
    named = label;
    status.text = `$(git-commit) ${label}`;
    if (label) status.show();
    else status.hide();
  }
  const shown = mode() === "file" ? blocks : [];
  for (let hue = 0; hue < 12; hue++) {
    const lines = shown.filter((b) => b.hue === hue).map((b) => new vscode.Range(b.start - 1, 0, b.start + b.count - 2, 0));
    if (lines.length > 0) bars[hue] ??= barOf(hue);
    if (bars[hue]) editor?.setDecorations(bars[hue], lines);
  }
}

/** Asks why the line at the cursor is there.
 *  @returns {Promise<void>} */
async function why() {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !client) return;
  const line = String(editor.selection.active.line + 1);
  await vscode.commands.executeCommand("gitTrace.why", editor.document.uri.toString(), line);
}

/** @param {import("vscode").ExtensionContext} context */
exports.activate = async (context) => {
  status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right, 100);
  status.name = "git trace";
  status.tooltip = "Why is this line here?";
  status.command = "gitTrace.whyHere";
  context.subscriptions.push(
    status,
    ...new Teller(program).listen(),
    vscode.window.onDidChangeVisibleTextEditors(attend),
    vscode.window.onDidChangeWindowState(attend),
    { dispose: () => { clearTimeout(soon); clearTimeout(leaving); for (const bar of bars) bar?.dispose(); bars = []; } },
    vscode.window.onDidChangeActiveTextEditor(refresh),
    vscode.window.onDidChangeTextEditorSelection(draw),
    vscode.workspace.onDidSaveTextDocument(refresh),
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === vscode.window.activeTextEditor?.document && event.contentChanges.length > 0) refresh();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("gitTrace.show")) refresh();
      if (event.affectsConfiguration("gitTrace.codeLens") && client) void turn(false).then(() => turn(true));
    }),
    vscode.workspace.registerTextDocumentContentProvider("git-trace", {
      provideTextDocumentContent: (address) => pages.get(address.toString()) ?? "",
    }),
    vscode.commands.registerCommand("gitTrace.whyHere", why),
    vscode.commands.registerCommand("gitTrace.toggle", () => vscode.workspace.getConfiguration("gitTrace")
      .update("show", mode() === "file" ? "line" : "file", vscode.ConfigurationTarget.Global)),
    vscode.commands.registerCommand("gitTrace.restart", async () => {
      hinted = false;
      await turn(false);
      await turn(true);
    }),
  );
  attend();
};

exports.deactivate = () => turn(false);
