/** A notification, for all channels. Its texts may come from outside, so each channel escapes them. */
export interface Notification {
  /** Such as `digest.weekly`. */
  kind: string;
  /** In a line. */
  title: string;
  project: { id: string; name: string };
  /** A sentence or two each. */
  paragraphs: readonly string[];
  tables: readonly NotificationTable[];
  /** Of the dashboard. */
  url: string;
  /** The same for programs. */
  facts: Readonly<Record<string, unknown>>;
}

export interface NotificationTable {
  title: string;
  /** A sentence about it. */
  text?: string | undefined;
  /** Of the dashboard. */
  url?: string | undefined;
  rows: readonly NotificationRow[];
}

export interface NotificationRow {
  name: string;
  value: string;
}

/** With commas between the thousands. */
export function writeNumber(count: number): string {
  return count.toLocaleString('en-US');
}

/** A mean, to one decimal. */
export function round(mean: number): number {
  return Math.round(mean * 10) / 10;
}

/** In a sentence, for one thing or several. */
export function writeCount(count: number, noun: string): string {
  return `${writeNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}
