import { importSaltMs } from '../counting/visitor/salt.ts';
import type { ImportStore } from '../store/counts/import-store.ts';
import { Batch } from './batch.ts';
import type { Counter } from './counter.ts';
import type { ImportDays } from './days.ts';
import { clearEntry, emptyEntry, type LineParser } from './formats/entry.ts';
import { type ImportResult, type LineOutcome, type Reason, showable } from './import-result.ts';
import { type LineJudgement, noRequest, settled } from './line-judgement.ts';
import type { LogInput } from './reading/input.ts';
import { headBytes, type KnownLogs, type LogState } from './reading/known-logs.ts';
import type { Window } from './reading/lines.ts';

/** Another process counted on the same logs or days: what was not committed has to be read again. */
export class Changed extends Error {}

interface Parts {
  store: ImportStore;
  projectId: string;
  hasGoals: boolean;
  days: ImportDays;
  counter: Counter;
  known: KnownLogs;
  now: () => number;
  /** Where the outcome of lines goes once they are counted for good. */
  total: ImportResult;
}

/**
 * Takes lines of logs in, batch after batch. The next one is read when the last is committed, so that a server beside it
 * gets its turn to write while lines are read, also where an engine queues nobody.
 */
export class Importer {
  readonly #parts: Parts;
  readonly #entry = emptyEntry();
  #batch: Batch;

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
    if (log.headLength === 0 && log.head.length < headBytes) log.head += window.text.slice(0, headBytes);
    if (window.kind === 'long') this.#addUnreadable(input, window.text.slice(0, 200));
    if (window.kind === 'lines') await this.#takeLines(input, window);
    this.#reach(log, window.at + window.text.length);
  }

  /**
   * The last line, which nothing ends. It counts if it is whole as far as can be told; its line break, if one comes
   * later, is passed over.
   */
  async takeRest(input: LogInput, window: Window): Promise<void> {
    if (input.parser.parse(window.text.replace(/\r$/, ''), emptyEntry()) === 'unreadable') {
      this.#batch.result.counts.unfinished++;
      this.#addExample('unfinished', input, input.log.read.lines + 1, window.text);
    } else await this.take(input, window);
  }

  /** Counts what was taken, for good. @throws Changed */
  async commit(): Promise<void> {
    const { known, projectId, hasGoals, store, now, total } = this.#parts;
    const batch = this.#batch;
    if (!batch.isEmpty) {
      for (const { log } of batch.logs()) known.name(log);
      const forgetAt = now() + importSaltMs;
      const packed = batch.pack({ projectId, hasGoals, knownLogs: known.stored, forgetAt });
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
      const judgement = this.#judge(line, parser);
      if (judgement.kind === 'unopened') {
        await this.#parts.days.open(judgement.day, Math.min(this.#entry.at, this.#parts.now()));
        continue;
      }
      log.read.lines++;
      this.#batch.result.lines++;
      if (judgement.kind === 'settled') this.#note(input, line, judgement.outcome);
      start = end + 1;
      if (!this.#batch.isFull) continue;
      this.#reach(log, at + Math.min(start, text.length));
      await this.commit();
    }
  }

  #judge(line: string, parser: LineParser): LineJudgement {
    const kind = line === '' ? 'other' : parser.parse(line, this.#entry);
    if (kind === 'request') return this.#parts.counter.count(this.#entry, this.#batch);
    return kind === 'unreadable' ? settled.unreadable : noRequest;
  }

  #note(input: LogInput, line: string, outcome: LineOutcome): void {
    const { result } = this.#batch;
    input.log.hasRequests = true;
    result.counts[outcome]++;
    if (outcome === 'person' || outcome === 'ai' || !result.wantsExample(outcome)) return;
    const { method, target, status, userAgent } = this.#entry;
    const isSender = outcome === 'bot' || outcome === 'spoofed';
    const text = isSender ? userAgent : `${method} ${target} ${status}`;
    this.#addExample(outcome, input, input.log.read.lines, outcome === 'unreadable' ? line : text);
  }

  #addUnreadable(input: LogInput, start: string): void {
    input.log.read.lines++;
    input.log.hasRequests = true;
    this.#batch.result.lines++;
    this.#batch.result.counts.unreadable++;
    if (this.#batch.result.wantsExample('unreadable'))
      this.#addExample('unreadable', input, input.log.read.lines, start);
  }

  #addExample(reason: Reason, { name }: LogInput, line: number, text: string): void {
    this.#batch.result.addExample(reason, { file: name, line, text: showable(text) });
  }

  #reach(log: LogState, bytes: number): void {
    log.read.bytes = bytes;
    if (log.hasRequests) this.#batch.reach(log);
  }
}
