import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { historyCommand } from '../../../server/commands/import/history.ts';
import { importCommand } from '../../../server/commands/import/import.ts';
import { searchesCommand } from '../../../server/commands/searches/searches.ts';
import type { Command } from '../../../server/commands/terminal/command.ts';
import type { DayOutcome } from '../../../server/import/history/run.ts';
import type { ProjectSettings } from '../../../shared/project/project.ts';
import { terminalOf } from '../commands/terminal.ts';
import { chromeUserAgent, type Headcount, type ProjectClient, startHeadcount } from '../headcount.ts';

export const person = chromeUserAgent;
export const otherPerson = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
export const aiClient = 'Mozilla/5.0 (compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)';
export const bot = 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)';

export interface LoggedRequest {
  /** ISO 8601. */
  at: string;
  ip?: string;
  path?: string;
  method?: string;
  status?: number;
  referrer?: string;
  userAgent?: string;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `10/Oct/2026:13:55:36 +0000` */
function localTime(at: string): string {
  const [date = '', clock = ''] = new Date(at).toISOString().split('T');
  const [year, month, day] = date.split('-');
  return `${day}/${months[Number(month) - 1]}/${year}:${clock.slice(0, 8)} +0000`;
}

/** A line of the combined format. */
export function combined(request: LoggedRequest): string {
  const { at, ip = '198.51.100.1', path = '/', method = 'GET', status = 200 } = request;
  const { referrer = '-', userAgent = person } = request;
  return `${ip} - - [${localTime(at)}] "${method} ${path} HTTP/1.1" ${status} 512 "${referrer}" "${userAgent}"\n`;
}

/** What `--json` prints. */
export interface Imported {
  lines: number;
  counted: { people: number; ai: number };
  notCounted: Record<string, number>;
  examples: Record<string, { file: string; line: number; text: string }[]>;
  warnings?: string[];
}

/** What `headcount import-stats --json` prints. */
export interface TakenOver {
  tool: string;
  lines: number;
  days: Record<DayOutcome, string[]>;
  counted: { visitors: number; views: number };
  notCounted: Record<string, number>;
  moreVisitorsThanViews: number;
  unread: string[];
  skippedColumns: { file: string; columns: string[] }[];
}

/** What `headcount import-search --json` prints. */
export interface TakenIn {
  lines: number;
  periods: {
    tool: string;
    of: string;
    from: string;
    to: string;
    names: number;
    others: number;
    outcome: string | null;
  }[];
  notTakenIn: Record<string, number>;
  unread: string[];
  skippedColumns: { file: string; columns: string[] }[];
}

export interface ImportRun {
  headcount: Headcount;
  folder: string;
  project: ProjectClient;
  /** Writes a file into the folder and answers its path. */
  write(name: string, content: string | Uint8Array): Promise<string>;
  /** Runs the command in this process, on the database of the running server. @throws what the command throws */
  import(args: string[], options?: { input?: Uint8Array; project?: ProjectClient }): Promise<Imported>;
  /** What it prints for people. */
  show(args: string[]): Promise<string>;
  /** The same of `headcount import-stats`. */
  history(args: string[]): Promise<TakenOver>;
  showHistory(args: string[]): Promise<string>;
  /** The same of `headcount import-search`. */
  searches(args: string[]): Promise<TakenIn>;
  showSearches(args: string[]): Promise<string>;
  addProject(settings: Partial<ProjectSettings>): Promise<ProjectClient>;
  stop(): Promise<void>;
}

/** A server with a project, and the import command. */
export async function startImport(
  settings: Partial<ProjectSettings> = {},
  now: () => number = Date.now,
  env: Record<string, string> = {},
): Promise<ImportRun> {
  const headcount = await startHeadcount({ project: settings, now, env });
  const folder = await mkdtemp(join(tmpdir(), 'headcount-import-'));
  const run = async (
    args: string[],
    input: Uint8Array = new Uint8Array(),
    command: Command = importCommand,
  ) => {
    let printed = '';
    const terminal = terminalOf(headcount, {
      now,
      print: (text) => {
        printed += text;
      },
      input: Readable.from([input]),
    });
    await command.run(args, terminal);
    return printed;
  };
  const history = (args: string[]) =>
    run([...args, '--project', headcount.projectId], undefined, historyCommand);
  const searches = (args: string[]) =>
    run([...args, '--project', headcount.projectId], undefined, searchesCommand);
  return {
    headcount,
    folder,
    project: headcount,
    write: async (name, content) => {
      const path = join(folder, name);
      await writeFile(path, content);
      return path;
    },
    import: async (args, { input = new Uint8Array(), project = headcount } = {}) =>
      JSON.parse(await run([...args, '--project', project.projectId, '--json'], input)) as Imported,
    show: (args) => run([...args, '--project', headcount.projectId]),
    history: async (args) => JSON.parse(await history([...args, '--json'])) as TakenOver,
    showHistory: history,
    searches: async (args) => JSON.parse(await searches([...args, '--json'])) as TakenIn,
    showSearches: searches,
    addProject: (more) => headcount.addProject(more),
    stop: async () => {
      await headcount.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
