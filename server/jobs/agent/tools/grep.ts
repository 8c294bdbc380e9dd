import { isReadable } from '../../git/content/readable.ts';
import type { SearchIndex } from '../../git/workspace/commit-files.ts';
import { runInGroup } from '../command/process-group.ts';
import { endRun, type Folder } from './folder.ts';
import { ToolError } from './tool-error.ts';

const maxOutputBytes = 256 * 1024;
const timeoutMs = 20_000;

export interface GrepQuery {
  /** Options and patterns of git grep. */
  what: readonly string[];
  /** Which files: as paths, or as a glob of git's. */
  files: { paths: readonly string[] } | { glob: string };
}

export interface Match {
  path: string;
  number: string;
  line: string;
}

/**
 * Searches with git's own grep: what is on the disk outside of any repository, so that nothing in the folder can configure
 * it, and the rest in the commit. Patterns that take for ever end with the time.
 */
export class Grep {
  readonly #folder: Folder;
  readonly #searchPath: string;
  readonly #scope: string;

  /**
   * @param searchPath the PATH on which git is found.
   * @param scope the folder that is searched where a query names no files; '' is all
   */
  constructor(folder: Folder, searchPath: string, scope = '') {
    this.#folder = folder;
    this.#searchPath = searchPath;
    this.#scope = scope;
  }

  /** The lines that match, sorted by path. */
  async findLines(query: GrepQuery, signal: AbortSignal): Promise<Match[]> {
    return sortMatches(await this.#search(['-n'], query, signal, parseLines));
  }

  /** The files that match. */
  async findFiles(query: GrepQuery, signal: AbortSignal): Promise<string[]> {
    const matches = await this.#search(['--name-only'], query, signal, parseNames);
    return sortMatches(matches).map(({ path }) => path);
  }

  /** Where a link leads is no text of the site. */
  async #search(
    how: readonly string[],
    asked: GrepQuery,
    signal: AbortSignal,
    parse: (output: Buffer) => Match[],
  ): Promise<Match[]> {
    const query = await this.#withinScope(asked);
    const { commitFiles } = this.#folder;
    const isOwn = ({ path }: Match) => !this.#folder.isLink(path) && isReadable(path);
    const onDisk = parse(await this.#run(how, query, { signal, index: undefined })).filter(isOwn);
    if (!commitFiles) return onDisk;
    const index = await commitFiles.makeSearchable(folderOf(query)).catch(endRun);
    const inCommit = parse(await this.#run(how, query, { signal, index }));
    return [...onDisk, ...inCommit.filter(({ path }) => commitFiles.isWaiting(path))];
  }

  async #withinScope({ what, files }: GrepQuery): Promise<GrepQuery> {
    const isAll = 'paths' in files && files.paths.length === 0 && this.#scope !== '';
    const isThere = isAll && (await this.#folder.findKind(this.#scope)) === 'folder';
    return { what, files: isThere ? { paths: [this.#scope] } : files };
  }

  async #run(
    how: readonly string[],
    { what, files }: GrepQuery,
    { signal, index }: { signal: AbortSignal; index: SearchIndex | undefined },
  ): Promise<Buffer> {
    const enough = new AbortController();
    const tooLong = AbortSignal.timeout(timeoutMs);
    const chunks: Buffer[] = [];
    let size = 0;
    const places = 'glob' in files ? [files.glob] : files.paths;
    const where = index ? places : places.length === 0 ? ['.'] : places;
    const code = await runInGroup({
      argv: [
        ...[
          'git',
          'glob' in files ? '--glob-pathspecs' : '--literal-pathspecs',
          'grep',
          '--no-color',
          '-I',
          '-z',
        ],
        ...['--threads=1', ...how, index ? '--cached' : '--no-index', ...what, '--', ...where],
      ],
      directory: this.#folder.root,
      // Left out of a repository: none is looked into.
      env: { ...gitEnvironment(this.#searchPath), ...(index ?? { GIT_DIR: '/dev/null' }) },
      signal: AbortSignal.any([signal, tooLong, enough.signal]),
      graceMs: 0,
      onOutput: (stream, chunk) => {
        if (stream === 'stderr' || size > maxOutputBytes) return;
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxOutputBytes) enough.abort();
      },
    });
    if (tooLong.aborted)
      throw new ToolError('The search took too long. Search a folder below, or for plain text.');
    if (code === 128 && !index)
      throw new ToolError('That is not a regular expression. Search for plain text, with "regex": false.');
    if (code !== 0 && code !== 1 && !enough.signal.aborted) {
      throw new ToolError('The search failed. Use the list and read tools.');
    }
    return Buffer.concat(chunks);
  }
}

/** The folder or file that all that is searched lies in; '' is the root. */
function folderOf({ files }: GrepQuery): string {
  if ('paths' in files) return files.paths.length === 1 ? (files.paths[0] ?? '') : '';
  const names = files.glob.split('/');
  const plain = names.findIndex((name) => /[*?[]/.test(name));
  return (plain === -1 ? names : names.slice(0, plain)).join('/');
}

function gitEnvironment(searchPath: string): Record<string, string> {
  return {
    PATH: searchPath,
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // What is searched is there: nothing is ever fetched.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

/** With -z a match is `path NUL number NUL line LF`. */
function parseLines(output: Buffer): Match[] {
  const matches = output.toString('utf8').split('\n');
  return matches
    .filter((match) => match !== '')
    .map((match) => {
      const [path = '', number = '', ...rest] = match.split('\0');
      return { path, number, line: rest.join(' ') };
    });
}

function parseNames(output: Buffer): Match[] {
  const paths = output.toString('utf8').split('\0').slice(0, -1);
  return paths.map((path) => ({ path, number: '', line: '' }));
}

function sortMatches(matches: Match[]): Match[] {
  return matches.sort((a, b) => (a.path === b.path ? 0 : a.path < b.path ? -1 : 1));
}
