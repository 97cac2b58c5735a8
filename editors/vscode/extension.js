// Who wrote a line, and why, in Visual Studio Code: hover, hints and actions come from git trace lsp; this adds the pages.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** @type {LanguageClient | undefined} */
let client;

/** @type {Map<string, string>} */
const pages = new Map(); // Markdown by the address it is shown at
const mostPages = 20;
let shown = 0;

/** Starts the server.
 *  @returns {Promise<void>} */
async function start() {
  const program = vscode.workspace.getConfiguration("gitTrace").get("program", "git-trace");
  client = new LanguageClient("gitTrace", "git trace", { command: program, args: ["lsp"] },
    {
      documentSelector: [{ scheme: "file" }],
      middleware: { executeCommand: run },
    });
  await client.start();
}

/** Runs a command of the server and shows the page that it gives.
 *  @param {string} command
 *  @param {any[]} args
 *  @param {(command: string, args: any[]) => import("vscode").ProviderResult<any>} next
 *  @returns {Promise<any>} */
async function run(command, args, next) {
  const text = await next(command, args);
  if (typeof text === "string" && text !== "") await show(command, text);
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

/** Asks why the line at the cursor is there.
 *  @returns {Promise<void>} */
async function why() {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !client) return;
  const document = { uri: editor.document.uri.toString() };
  await vscode.commands.executeCommand("gitTrace.why", document, editor.selection.active.line + 1);
}

/** @param {import("vscode").ExtensionContext} context */
exports.activate = async (context) => {
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider("git-trace", {
      provideTextDocumentContent: (address) => pages.get(address.toString()) ?? "",
    }),
    vscode.commands.registerCommand("gitTrace.whyHere", why),
    vscode.commands.registerCommand("gitTrace.restart", async () => {
      await client?.stop();
      await start();
    }),
  );
  await start();
};

exports.deactivate = () => client?.stop();
