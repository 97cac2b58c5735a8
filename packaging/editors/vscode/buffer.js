// What a person does to a text between two saves: which lines they type, and which completions they accept.
// Changes are kept as they come, at almost no cost, and are taken into account in their order a moment later: until
// then it may be told that one of them was a completion.

/** @typedef {{line: number, character: number}} Position from 0 */
/** @typedef {{start: Position, end: Position, text: string}} Change of one place */
/** @typedef {"typed" | "put" | "other"} Way how text came: by keys; in a way that may be a completion, such as a paste;
 *  or by a formatter, undo and redo, and where it has no words */
/** @typedef {{at: number, changes: Change[], way: Way, open: boolean, accepted?: string}} Step a change of the text; open
 *  is true while it may turn out that it was a completion */
/** @typedef {{at: number, save: "begun" | "by hand" | "done"}} Mark a save */
/** @typedef {{first: number, last: number, way: Way}} Run lines that changed since something was told, from 0 */
/** @typedef {[number, number][]} Lines runs of lines, from 1 */
/** @typedef {{provider: string, before: string, after: string, typed: Lines, put: Lines, at: number}} Completion */
/** @typedef {{completion?: Completion, saved?: {after: string, typed: Lines, put: Lines, at: number}}} Told */

const mostRuns = 500; // places that changed and were not told
const mostChanges = 100; // places of one change
const longestSave = 10_000; // milliseconds: a save that failed has no end

/** Whether a text that stands at a cursor now may have come by one key: a sign, a pair of brackets, a line break, or one
 *  word, which may be taken from a list of words.
 *  @param {string} text */
const ofOneKey = (text) => /^\s*(?:[^\s]|[\p{L}\p{M}\p{N}_]*|\(\)|\[\]|\{\}|""|''|``)\s*$/u.test(text);

/** Whether a person typed a change: each of its places is at a cursor, and came by one key.
 *  @param {readonly Change[]} changes
 *  @param {readonly {start: Position, end: Position}[]} cursors as they were before
 *  @returns {boolean} */
exports.isTyped = (changes, cursors) => changes.length <= mostChanges && changes.every((change) => ofOneKey(change.text) &&
  cursors.some((cursor) => !after(change.start, cursor.start) && !after(cursor.end, change.end)));

/** @param {Position} a
 *  @param {Position} b */
const after = (a, b) => a.line > b.line || (a.line === b.line && a.character > b.character);

exports.Buffer = class {
  /** @param {string} text
   *  @param {string} eol */
  constructor(text, eol) {
    this.lines = text.split(/\r\n|\r|\n/);
    this.eol = eol;
    /** @type {(Step | Mark)[]} */
    this.waiting = [];
    /** @type {Run[]} */
    this.runs = [];
    /** @type {Completion | undefined} */
    this.open; // a completion of which more parts may be accepted
    /** @type {Mark | undefined} */
    this.saving; // while a save is at work
  }

  /** Takes a change that came now.
   *  @param {number} at
   *  @param {Change[]} changes
   *  @param {boolean} typed
   *  @param {boolean} undone by undo or redo */
  change(at, changes, typed, undone) {
    const last = this.waiting.findLast((s) => "save" in s);
    const saving = (last ?? this.saving)?.save ?? "done"; // what changes meanwhile is a formatter's
    const open = !undone && saving === "done" && (!typed || changes.some((c) => c.text.trim().length > 1));
    const words = changes.some((c) => /[\p{L}\p{N}_]/u.test(c.text));
    this.waiting.push({ at, changes, way: typed ? "typed" : words && !undone ? "put" : "other", open });
  }

  /** Takes the change that was an accepted completion: the last one that was not the work of a key where another was not.
   *  @param {string} provider */
  accept(provider) {
    const steps = /** @type {Step[]} */ (this.waiting.filter((s) => "changes" in s && !s.accepted));
    const step = steps.findLast((s) => s.open && s.way !== "typed") ?? steps.findLast((s) => s.open) ?? steps.at(-1);
    if (step) Object.assign(step, { accepted: provider, open: false });
  }

  /** Takes what came into account, up to a change that may still turn out to have been a completion.
   *  @param {number} until the moment up to which it may not
   *  @param {number} quiet the moment up to which a completion has no more parts
   *  @returns {Told[]} what is to be told */
  settle(until, quiet) {
    /** @type {Told[]} */
    const told = [];
    while (this.waiting.length > 0) {
      const step = this.waiting[0];
      if ("changes" in step && step.open && step.at > until) break;
      this.waiting.shift();
      if ("save" in step) this.save(step, told);
      else this.take(step, told);
    }
    if (this.open && this.open.at <= quiet && this.waiting.length === 0) this.close(told);
    return told;
  }

  /** @param {Mark} mark
   *  @param {Told[]} told */
  save(mark, told) {
    this.close(told);
    if (mark.save === "done" && this.saving?.save === "by hand") {
      const typed = this.linesThatCame("typed"), put = this.linesThatCame("put");
      if (typed.length + put.length > 0) told.push({ saved: { after: this.text(), typed, put, at: mark.at } });
      this.runs = [];
    }
    this.saving = mark.save === "done" ? undefined : mark;
  }

  /** @param {Step} step
   *  @param {Told[]} told */
  take(step, told) {
    if (!step.accepted) {
      this.close(told);
      this.apply(step, this.saving && step.at < this.saving.at + longestSave ? "other" : step.way);
      return;
    }
    if (this.open?.provider !== step.accepted) this.close(told);
    this.open ??= { provider: step.accepted, before: this.text(), after: "", at: 0,
      typed: this.linesThatCame("typed"), put: this.linesThatCame("put") };
    this.runs = [];
    this.apply(step, "other");
    this.runs = [];
    Object.assign(this.open, { after: this.text(), at: step.at });
  }

  /** @param {Told[]} told */
  close(told) {
    if (this.open) told.push({ completion: this.open });
    this.open = undefined;
  }

  text() { return this.lines.join(this.eol); }

  /** @param {Way} way
   *  @returns {Lines} */
  linesThatCame(way) { return this.runs.filter((run) => run.way === way).map((run) => [run.first + 1, run.last + 1]); }

  /** @param {Step} step
   *  @param {Way} way */
  apply(step, way) {
    const many = step.changes.length > mostChanges;
    for (const { start, end, text } of step.changes) {
      const old = this.lines.slice(start.line, end.line + 1);
      const now = ((old[0] ?? "").slice(0, start.character) + text + (old.at(-1) ?? "").slice(end.character)).split(/\r\n|\r|\n/);
      this.lines.splice(start.line, old.length, ...(now.length < 50_000 ? now : []));
      if (now.length >= 50_000) this.lines = [...this.lines.slice(0, start.line), ...now, ...this.lines.slice(start.line)];
      if (!many) this.note(start.line, old, now, way);
    }
    if (many || this.runs.length > mostRuns) this.runs = []; // nothing is told of them
  }

  /** Notes that lines stand in the place of others. A line that was not typed stays so when somebody types in it.
   *  @param {number} first
   *  @param {string[]} old
   *  @param {string[]} now
   *  @param {Way} way */
  note(first, old, now, way) {
    let same = 0;
    while (same < Math.min(old.length, now.length) && old[same] === now[same]) same++;
    let tail = 0;
    while (tail < Math.min(old.length, now.length) - same && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
    const start = first + same, end = first + old.length - tail, grown = now.length - old.length; // old lines, end excluded
    /** @type {Run[]} */
    const kept = [];
    for (const run of this.runs) {
      if (run.first < start) kept.push({ ...run, last: Math.min(run.last, start - 1) });
      if (run.first < end && run.last >= start && run.way !== "typed" && old.slice(same, old.length - tail).some((l) => l.trim() !== "")) {
        if (way !== "put") way = run.way;
      }
      if (run.last >= end) kept.push({ first: Math.max(run.first, end) + grown, last: run.last + grown, way: run.way });
    }
    if (end + grown > start) kept.push({ first: start, last: end + grown - 1, way });
    kept.sort((a, b) => a.first - b.first);
    this.runs = [];
    for (const run of kept) {
      const last = this.runs.at(-1);
      if (last && last.way === run.way && last.last + 1 >= run.first) last.last = Math.max(last.last, run.last);
      else this.runs.push(run);
    }
  }
};
