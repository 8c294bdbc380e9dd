import { z } from 'zod';
import { excerpt } from '../../text/excerpt.ts';
import { parsePath } from './path.ts';
import { defineTool, type Tool } from './tool.ts';
import { ToolError } from './tool-error.ts';

const maxLength = 200;

/** What happened in the repository before the turn, and on its branch. Undefined: too much to be shown. */
export interface History {
  log(query: { path: string; count: number }): Promise<HistoryEntry[]>;
  /** Of one commit, or of a whole branch with what the turn has done so far; '' where nothing changed. @throws ToolError */
  diff(query: { path: string; commit: string | undefined }): Promise<string | undefined>;
}

interface HistoryEntry {
  hash: string;
  date: string;
  author: string;
  subject: string;
}

const path = z.string().default('').describe('Only what concerns this file or folder');

/** Tools that read what was done before. */
export function createHistoryTools(history: History): Tool[] {
  return [
    defineTool({
      name: 'log',
      description:
        'Lists the newest commits, of the whole repository or of a file or folder: hash, date, author, subject.',
      input: z.object({ path, count: z.int().min(1).max(100).default(20) }),
      run: async ({ path, count }) => {
        const entries = await history.log({ path: parsePath(path), count });
        if (entries.length === 0) return 'No commit concerns it.';
        const lines = entries.map(({ hash, date, author, subject }) =>
          [hash, date, shorten(author), shorten(subject)].join('  '),
        );
        return lines.join('\n');
      },
    }),
    defineTool({
      name: 'diff',
      description:
        'Shows what a commit changed, or, without one, what the pull request changes so far. Images are left out.',
      input: z.object({
        commit: z
          .string()
          .regex(/^[0-9a-f]{7,64}$/, 'must be a hash as the log tool lists it')
          .optional(),
        path,
      }),
      run: async ({ commit, path }) => {
        const diff = await history.diff({ commit, path: parsePath(path) });
        if (diff === undefined) throw new ToolError('That is too much to be shown. Name a file or a folder.');
        return diff === '' ? 'Nothing was changed.' : diff;
      },
    }),
  ];
}

/** Anybody may write what stands in a log: on one line, and not too long. */
function shorten(text: string): string {
  return excerpt(text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim(), maxLength);
}
