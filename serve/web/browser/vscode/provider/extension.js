// What a test needs in the editor: inline suggestions that it sets itself, a formatter that takes away doubled blanks, and
// a rename in all files that are open. It answers the test on a port.
const http = require("node:http");
const fs = require("node:fs");
const v8 = require("node:v8");
const vm = require("node:vm");
const vscode = require("vscode");

let suggestion = "";
let edited; // the line that the suggestion is for, if it is an edit of it
const all = [{ scheme: "file" }, { scheme: "untitled" }];

const whole = (document) => new vscode.Range(0, 0, document.lineCount, 0);

const does = {
  suggest: ({ text, line }) => { suggestion = text; edited = line; },
  run: async ({ command, args = [] }) => { await vscode.commands.executeCommand(command, ...args); },
  set: ({ section, value }) => vscode.workspace.getConfiguration().update(section, value, vscode.ConfigurationTarget.Global),
  open: async ({ path, line = 1, column = 1 }) => {
    const at = new vscode.Position(line - 1, column - 1);
    await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false, selection: new vscode.Range(at, at) });
  },
  edit: async ({ path, line, text }) => { // as an extension of an agent edits a file that is open
    const edit = new vscode.WorkspaceEdit();
    edit.insert(vscode.Uri.file(path), new vscode.Position(line - 1, 0), text);
    await vscode.workspace.applyEdit(edit);
  },
  state: () => {
    const editor = vscode.window.activeTextEditor;
    return { path: editor?.document.uri.fsPath, text: editor?.document.getText(), dirty: editor?.document.isDirty,
      at: editor?.selections.map((s) => [s.active.line + 1, s.active.character + 1]) };
  },
  extension: () => {
    const it = vscode.extensions.getExtension("git-trace.git-trace");
    return { found: it !== undefined, active: it?.isActive };
  },
  memory: async () => {
    v8.setFlagsFromString("--expose-gc");
    const collect = vm.runInNewContext("gc");
    for (let i = 0; i < 5; i++) {
      collect();
      await new Promise((done) => setTimeout(done, 100));
    }
    const { heapUsed, external } = process.memoryUsage();
    return { bytes: heapUsed + external, process: process.pid };
  },
};

exports.activate = (context) => {
  const server = http.createServer((request, answer) => {
    let body = "";
    request.on("data", (data) => { body += data; });
    request.on("end", async () => {
      try {
        const asked = JSON.parse(body);
        answer.end(JSON.stringify({ value: await does[asked.do](asked) ?? null }));
      } catch (error) {
        answer.end(JSON.stringify({ error: String(error?.stack ?? error) }));
      }
    });
  });
  server.listen(0, "127.0.0.1", () => fs.writeFileSync(process.env.GITTRACE_TEST_PORT, String(server.address().port)));
  context.subscriptions.push(
    { dispose: () => server.close() },
    vscode.languages.registerInlineCompletionItemProvider(all, {
      provideInlineCompletionItems: (document, at) => {
        if (!suggestion) return [];
        if (edited === undefined) return [{ insertText: suggestion, range: new vscode.Range(at, at) }];
        return [{ insertText: suggestion, range: document.lineAt(edited - 1).range, isInlineEdit: true }];
      },
    }),
    vscode.languages.registerDocumentFormattingEditProvider(all, {
      provideDocumentFormattingEdits(document) {
        const edits = [];
        for (let i = 0; i < document.lineCount; i++) {
          for (const found of document.lineAt(i).text.matchAll(/(?<=\S) {2,}(?=\S)/g)) {
            edits.push(vscode.TextEdit.replace(new vscode.Range(i, found.index, i, found.index + found[0].length), " "));
          }
        }
        return edits;
      },
    }),
    vscode.languages.registerRenameProvider(all, {
      async provideRenameEdits(document, at, name) {
        const old = document.getText(document.getWordRangeAtPosition(at));
        const edits = new vscode.WorkspaceEdit();
        for (const file of await vscode.workspace.findFiles("**/*.go")) {
          const text = await vscode.workspace.openTextDocument(file);
          for (const found of text.getText(whole(text)).matchAll(new RegExp(`\\b${old}\\b`, "g"))) {
            edits.replace(file, new vscode.Range(text.positionAt(found.index), text.positionAt(found.index + old.length)), name);
          }
        }
        return edits;
      },
    }),
  );
};
