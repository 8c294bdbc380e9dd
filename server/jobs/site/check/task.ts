import type { Site } from '../site.ts';
import type { Finding } from './finding.ts';

/** The commit that a turn began with, or what it made of it. */
export type Side = 'before' | 'after';

export interface CheckedChange {
  path: string;
  /** The old path of a renamed file. */
  from: string | undefined;
  status: 'added' | 'modified' | 'deleted' | 'renamed' | 'typechanged';
}

/** What the thread gets at its start. */
export interface CheckTask {
  /** The project's docs folder; '' where it names none. */
  docsFolder: string;
  /** All plain files of both. */
  paths: Readonly<Record<Side, readonly string[]>>;
  changes: readonly CheckedChange[];
}

/** What the thread asks of the one that started it. */
export type Question =
  | { id: number; ask: 'read'; side: Side; paths: readonly string[] }
  | { id: number; ask: 'find'; side: Side; texts: readonly string[] };

export interface Answer {
  id: number;
  texts: (string | undefined)[];
}

/** The links or the navigation of one long file. */
export interface ReadFileTask {
  read: 'links' | 'navigation';
  site: Pick<Site, 'root' | 'base'>;
  path: string;
  text: string;
}

/** Something of one long text. */
export type ReadTask = ReadFileTask | { read: 'request'; text: string; mention: string };

/** What the thread sends, each finding as soon as it is there. */
export type CheckMessage = { finding: Finding } | { done: true };
