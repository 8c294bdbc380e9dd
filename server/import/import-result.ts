import { logReasons, ruleReasons } from '../counting/drop-rules.ts';

/** Outcomes of a line that is a request. */
export const outcomes = [
  'person',
  'ai',
  'unreadable',
  ...logReasons,
  'repeated',
  'future',
  ...ruleReasons.page,
  ...ruleReasons.address,
  ...ruleReasons.userAgent,
  ...ruleReasons.sender,
  ...ruleReasons.people,
  ...ruleReasons.request,
  'taken',
  'unfinished',
] as const;

export type LineOutcome = (typeof outcomes)[number];
/**
 * Lines that a later import may count, as another option or setting may change the outcome. They stay open: the same log can be
 * given again. All other outcomes are final for a log that stays imported.
 */
const openOutcomes: ReadonlySet<LineOutcome> = new Set([
  'unreadable',
  'future',
  'foreign_host',
  'left_to_script',
  'taken',
]);

export function staysOpen(outcome: LineOutcome): boolean {
  return openOutcomes.has(outcome);
}

/** Why a request was not counted. */
export type Reason = Exclude<LineOutcome, 'person' | 'ai'>;

export interface Example {
  file: string;
  line: number;
  /** Safe to show. */
  text: string;
}

const maxExamples = 3;

/** Outcomes of all lines of an import or of one batch, with the first examples of uncounted lines. */
export class ImportResult {
  lines = 0;
  readonly counts = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<
    LineOutcome,
    number
  >;
  readonly examples = new Map<Reason, Example[]>();
  /** Why files are not or not wholly imported, in sentences. The command fails if there are any. */
  readonly failures: string[] = [];
  /** Warnings, in sentences. */
  readonly warnings: string[] = [];

  wantsExample(reason: Reason): boolean {
    return (this.examples.get(reason)?.length ?? 0) < maxExamples;
  }

  addExample(reason: Reason, example: Example): void {
    const known = this.examples.get(reason);
    if (known) known.push(example);
    else this.examples.set(reason, [example]);
  }

  add(other: ImportResult): void {
    this.lines += other.lines;
    for (const outcome of outcomes) this.counts[outcome] += other.counts[outcome];
    for (const [reason, examples] of other.examples) {
      for (const example of examples) if (this.wantsExample(reason)) this.addExample(reason, example);
    }
  }

  get hits(): number {
    return this.counts.person + this.counts.ai;
  }
}

const maxShown = 80;

/** 10:15:30, and with a year where servers write one in front: 23/Nov/2026:10:15:30. */
const time = String.raw`(?:(?<=/)\d{4}:)?\d?\d:\d\d:\d\d(?![\w:])`;

/** Anything between four numbers or between colons that an address could be, and is no time. */
const address = new RegExp(
  [
    String.raw`(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\d)`,
    String.raw`(?<![\w:])(?!${time})[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?:\.\d{1,3}){0,3}(?![\w:])`,
  ].join('|'),
  'gi',
);

/** A part of a log for the terminal, without control characters and addresses. */
export function showable(text: string): string {
  const shown = text.slice(0, 4 * maxShown).replace(address, '(address)');
  const cut = shown.length > maxShown ? `${shown.slice(0, maxShown)}…` : shown;
  return cut.replace(
    /[^\x20-\x7e…]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
