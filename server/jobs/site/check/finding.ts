import { excerpt } from '../../text/excerpt.ts';

/** Something that a change broke. */
export interface Finding {
  path: string;
  /** From 1; undefined where it is about the whole file. */
  line: number | undefined;
  /** A sentence; what comes from the repository is quoted in it. */
  problem: string;
}

/** What is wrong with a file by itself. */
export interface Flaw {
  /** One that was there before the change is not the change's, whatever its words. */
  kind: 'front matter' | 'fence' | 'mdx' | 'json' | 'yaml' | 'toml' | 'title';
  /** Which of several of this kind; undefined: a file has one. */
  of?: string;
  line: number | undefined;
  problem: string;
}

/** As people and models read it. */
export function describeFinding({ path, line, problem }: Finding): string {
  return `${path}${line === undefined ? '' : `:${line}`}: ${problem}`;
}

/** What comes from the repository, so that it is seen where it begins and ends. */
export function quoted(text: string): string {
  return JSON.stringify(excerpt(text, 200));
}
