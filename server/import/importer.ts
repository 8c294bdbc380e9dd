import { importSaltMs } from '../counting/visitor/salt.ts';
import type { ImportStore } from '../store/imports.ts';
import { Batch } from './batch.ts';
import { copyOf } from './bytes.ts';
import type { Counter } from './counter.ts';
import type { ImportDays } from './days.ts';
import { clearEntry, emptyEntry, type LineKind, type LogEntry } from './formats/entry.ts';
import { type ImportResult, type Reason, showable } from './import-result.ts';
import { type LineResult, noRequest, type Settled, settled } from './line-result.ts';
import { type Findings, type LogInput, withoutNul } from './reading/input.ts';
import { headBytes, type KnownLogs, type LogState } from './reading/known-logs.ts';
import type { Window } from './reading/lines.ts';

/** Another process counted on the same logs or days: uncommitted lines have to be read again. */
export class Changed extends Error {}

interface Parts {
  store: ImportStore;
  projectId: string;
  hasGoals: boolean;
  days: ImportDays;
  counter: Counter;
  known: KnownLogs;
  now: () => number;
  /** Gets the outcomes of lines once they are committed. */
  total: ImportResult;
}

/**
 * Takes lines of logs in, batch after batch. The next one is read when the last is committed, so that a server on the same database
 * gets its turn to write while lines are read, also where an engine queues nobody.
 */
export class Importer {
  readonly #parts: Parts;
  readonly #entry = emptyEntry();
  #batch: Batch;
  /** Whose lines are in the batch. */
  #log: LogState | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#batch = new Batch(parts.store.newBatch());
  }

  /** Lines and hits, those included that are not committed yet. */
  progress(): { lines: number; hits: number } {
    const { total } = this.#parts;
    const { result } = this.#batch;
    return { lines: total.lines + result.lines, hits: total.hits + result.hits };
  }

  /** @throws Changed */
  async take(input: LogInput, window: Window): Promise<void> {
    const { log } = input;
    await this.#turnTo(log);
    if (log.headLength === 0 && log.head.length < headBytes) log.head += window.text.slice(0, headBytes);
    if (window.kind === 'long' && this.#begin(input))
      this.#settle(input, window.text.slice(0, 200), settled.unreadable);
    if (window.kind === 'lines') await this.#takeLines(input, window);
    this.#reach(log, window.at + window.text.length);
  }

  /**
   * The last line, which nothing ends. It counts if it looks complete; a line break that comes
   * later is skipped.
   */
  async takeRest(input: LogInput, window: Window): Promise<void> {
    const isKnown = input.line < input.log.read.lines;
    if (isKnown && !input.log.open?.has(input.line + 1)) return;
    if (input.parser.parse(window.text.replace(/\r$/, ''), emptyEntry()) === 'unreadable') {
      input.findings.requests++;
      input.findings.unreadable++;
      this.#batch.result.counts.unfinished++;
      this.#addExample('unfinished', input, input.line + 1, window.text);
    } else await this.take(input, window);
  }

  /**
   * At the end of a log with a final outcome for some line: from here on it is known, even where none of its requests is for a
   * page.
   */
  finish(input: LogInput): void {
    const { log, findings } = input;
    log.hasRequests ||= findings.requests > findings.unreadable + findings.foreign;
    this.#reach(log, log.read.bytes);
  }

  /** Commits the batch. @throws Changed */
  async commit(): Promise<void> {
    const { known, projectId, hasGoals, store, now, total } = this.#parts;
    const batch = this.#batch;
    if (!batch.isEmpty) {
      for (const { log } of batch.logs()) known.name(log);
      const countedAt = now();
      const forgetAt = countedAt + importSaltMs;
      const packed = batch.pack({ projectId, hasGoals, knownLogs: known.stored, forgetAt, countedAt });
      const receipt = await batch.views.count(packed);
      if (receipt.state === 'changed') throw new Changed();
      for (const [i, { log, bytes, lines }] of batch.logs().entries()) {
        if (log.id === null) known.stored++;
        log.id = receipt.ids[i] as number;
        log.counted = { bytes, lines };
      }
    }
    total.add(batch.result);
    this.#batch = new Batch(store.newBatch());
  }

  async #takeLines(input: LogInput, { text, at }: Window): Promise<void> {
    const { log, parser } = input;
    // Not every format fills all of it, and the log before may have had another one.
    clearEntry(this.#entry);
    let start = at === 0 && text.startsWith('\u00ef\u00bb\u00bf') ? 3 : 0;
    while (start < text.length) {
      const lineBreak = text.indexOf('\n', start);
      const end = lineBreak < 0 ? text.length : lineBreak;
      const line = text.slice(start, text.charCodeAt(end - 1) === 13 && end > start ? end - 1 : end);
      const isNew = input.line >= log.read.lines;
      if (!isNew && !log.open?.has(input.line + 1)) {
        input.line++;
        addKnown(input.findings);
        // The fields of lines further on may be named here.
        if (parser.isHeaded && (input.line === 1 || line.startsWith('#'))) parser.parse(line, this.#entry);
        start = end + 1;
        continue;
      }
      // A parser may put lines together, so that each is read once.
      const parsed = withoutNul(line);
      const kind = parsed === '' ? 'other' : parser.parse(parsed, this.#entry);
      let result = this.#classify(kind);
      while (result.kind === 'unopened') {
        await this.#parts.days.open(result.day, Math.min(this.#entry.at, this.#parts.now()));
        result = this.#classify(kind);
      }
      this.#begin(input);
      if (result.kind === 'settled') this.#settle(input, line, result);
      start = end + 1;
      if (!this.#batch.isFull) continue;
      this.#reach(log, at + Math.min(start, text.length));
      await this.commit();
    }
  }

  /** Goes to the next line. Answers whether it is new or open. */
  #begin(input: LogInput): boolean {
    const { log } = input;
    input.line++;
    if (input.line > log.read.lines) log.read.lines = input.line;
    else if (!log.open?.has(input.line)) return false;
    this.#batch.result.lines++;
    return true;
  }

  #classify(kind: LineKind): LineResult {
    if (kind === 'request') return this.#parts.counter.count(this.#entry, this.#batch);
    return kind === 'unreadable' ? settled.unreadable : noRequest;
  }

  #settle(input: LogInput, line: string, settled: Settled): void {
    const { outcome, isOpen } = settled;
    const { result } = this.#batch;
    const { log, findings } = input;
    addFinding(findings, settled);
    if (outcome === 'foreign_host' && findings.foreign === 1)
      findings.foreignHost = showable(this.#entry.host);
    if (!log.hasRequests) log.hasRequests = !(isOpen || settled.isOther) || this.#batch.hasCounters;
    if (isOpen || log.open?.isEmpty === false) log.open?.set(input.line, isOpen);
    result.counts[outcome]++;
    if (outcome === 'person' || outcome === 'ai') addSender(findings, this.#entry);
    if (outcome === 'person' || outcome === 'ai' || !result.wantsExample(outcome)) return;
    const { method, target, status, userAgent } = this.#entry;
    const isSender = outcome === 'bot' || outcome === 'spoofed';
    const text = isSender ? userAgent : `${method} ${target} ${status}`;
    this.#addExample(outcome, input, input.line, outcome === 'unreadable' ? line : text);
  }

  #addExample(reason: Reason, { name }: LogInput, line: number, text: string): void {
    this.#batch.result.addExample(reason, { file: name, line, text: showable(text) });
  }

  /** What a batch adds is that of one log, so that it can be taken back. */
  async #turnTo(log: LogState): Promise<void> {
    if (this.#log !== log && !this.#batch.isEmpty) await this.commit();
    this.#log = log;
  }

  /** A copy without new lines leaves no trace, not even its name. */
  #reach(log: LogState, bytes: number): void {
    if (bytes > log.read.bytes) log.read.bytes = bytes;
    const isNew = log.id === null || log.read.bytes > log.counted.bytes || this.#batch.result.lines > 0;
    if (log.hasRequests && isNew) this.#batch.reach(log);
  }
}

const maxForwarders = 500;

function addSender(findings: Findings, { address, forwardedFor, headers }: LogEntry): void {
  findings.counted++;
  const forwarded = forwardedFor || headers?.['x-forwarded-for'];
  findings.hasForwardedFor ||= forwarded !== undefined && forwarded !== '';
  if (forwarded) addForwarder(findings.forwarders, address, forwarded);
  if (findings.address === address || findings.address === null) return;
  findings.address = findings.address === undefined ? copyOf(address) : null;
}

/** Where the server has replaced its proxy's address, the visitor's is in both fields. */
function addForwarder(forwarders: Findings['forwarders'], address: string, forwarded: string): void {
  if (forwarded.includes(address)) return;
  const known = forwarders.get(address);
  if (!known) {
    if (forwarders.size < maxForwarders)
      forwarders.set(copyOf(address), { views: 1, first: copyOf(forwarded), hasOthers: false });
    return;
  }
  known.views++;
  known.hasOthers ||= known.first !== forwarded;
}

/** A line with an outcome from an earlier import. */
function addKnown(findings: Findings): void {
  findings.requests++;
  findings.pages++;
  findings.unreadableInARow = 0;
}

function addFinding(findings: Findings, { outcome, isOther }: Settled): void {
  findings.requests++;
  if (outcome === 'unreadable') {
    findings.unreadable++;
    findings.unreadableInARow++;
    return;
  }
  findings.unreadableInARow = 0;
  if (outcome === 'foreign_host') findings.foreign++;
  else if (!isOther) findings.pages++;
}
