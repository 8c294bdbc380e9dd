/** Something to tell, whoever it is sent to. Texts may come from outside: whoever shows them escapes them. */
export interface Letter {
  /** Such as `digest.weekly`. */
  kind: string;
  /** In a line. */
  title: string;
  project: { id: string; name: string };
  /** A sentence or two each. */
  paragraphs: readonly string[];
  tables: readonly LetterTable[];
  /** Of the dashboard. */
  url: string;
  /** The same for programs. */
  facts: Readonly<Record<string, unknown>>;
}

export interface LetterTable {
  title: string;
  rows: readonly LetterRow[];
}

export interface LetterRow {
  name: string;
  value: string;
}

/** With commas between the thousands. */
export function writeNumber(count: number): string {
  return count.toLocaleString('en-US');
}

/** A mean as it is told: to one decimal. */
export function round(mean: number): number {
  return Math.round(mean * 10) / 10;
}

/** In a sentence's place for one thing or several. */
export function writeCount(count: number, noun: string): string {
  return `${writeNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}
