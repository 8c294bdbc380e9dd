import { z } from 'zod';
import { JobFailure } from '../../failure.ts';
import type { CommitFiles } from '../../git/workspace/commit-files.ts';
import { defaultLimits } from '../limits.ts';
import { listFolder, listInput, readInput, readLines } from './files.ts';
import { Folder } from './folder.ts';
import { Grep } from './grep.ts';
import { type Searched, searchFiles, searchInput } from './search.ts';
import { defineTool, type Tool } from './tool.ts';
import { ToolError } from './tool-error.ts';

/** Repositories that may be read besides the one that is worked on. */
export interface OtherRepositories {
  addresses: readonly string[];
  /** The newest commit of the default branch, whose files come as they are asked for. @throws JobFailure */
  open: (address: string) => Promise<OpenedRepository>;
}

interface OpenedRepository {
  root: string;
  links: ReadonlySet<string>;
  commitFiles: CommitFiles | undefined;
}

/** Tools that look into other repositories; nothing of these can be changed. */
export function createOtherTools({ addresses, open }: OtherRepositories, searchPath: string): Tool[] {
  const repository = z.enum(addresses as [string, ...string[]]).describe('Which of the other repositories');
  const opened = new Map<string, Searched>();
  const look = async (address: string): Promise<Searched> => {
    const known = opened.get(address);
    if (known) return known;
    const { root, ...checkout } = await open(address);
    const folder = new Folder(root, defaultLimits, checkout);
    const searched = { folder, grep: new Grep(folder, searchPath) };
    opened.set(address, searched);
    return searched;
  };
  return [
    defineTool({
      name: 'other_list',
      description: 'Lists the files and folders in a folder of another repository, which can only be read.',
      input: listInput.extend({ repository }),
      run: (input, signal) =>
        inWords(
          input.repository,
          signal,
          async () => await listFolder((await look(input.repository)).folder, input),
        ),
    }),
    defineTool({
      name: 'other_read',
      description: 'Reads lines of a text file of another repository, with their numbers.',
      input: readInput.extend({ repository }),
      run: (input, signal) =>
        inWords(
          input.repository,
          signal,
          async () => await readLines((await look(input.repository)).folder, input),
        ),
    }),
    defineTool({
      name: 'other_search',
      description: 'Finds text in the files of another repository. Answers with path, line number and line.',
      input: searchInput.extend({ repository }),
      run: (input, signal) =>
        inWords(
          input.repository,
          signal,
          async () => await searchFiles(await look(input.repository), input, signal),
        ),
    }),
  ];
}

/** What keeps another repository from being read ends no turn: the work is in this one. */
async function inWords(address: string, signal: AbortSignal, look: () => Promise<string>): Promise<string> {
  try {
    return await look();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof JobFailure)) throw error;
    const cause = error.cause instanceof JobFailure ? error.cause : error;
    throw new ToolError(
      `${address} cannot be read. ${causes[cause.code] ?? cause.message} Go on without it.`,
    );
  }
}

/** Where the sentence about the project's own repository would mislead. */
const causes: Partial<Record<JobFailure['code'], string>> = {
  auth: 'Its token is missing, or refused: say in your summary that a person has to set one with --repository-tokens-stdin.',
  forbidden: 'Its token may not read it: say so in your summary.',
  not_found: 'There is no such repository, or its token may not see it: say so in your summary.',
  moved: 'It is at another address now: say so in your summary.',
  empty_repository: 'It has no commit.',
};
