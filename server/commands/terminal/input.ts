import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { readTrouble } from '../../files/file-trouble.ts';
import { CommandError, type Terminal } from './command.ts';

/** Reads a file, or standard input where the name is "-". The file is closed afterwards, however far it was read. */
export async function withInput<Result>(
  source: string,
  terminal: Terminal,
  read: (input: Readable) => Promise<Result>,
): Promise<Result> {
  if (source === '-') return read(terminal.input);
  const input = await openInput(source);
  try {
    return await read(input);
  } finally {
    await closed(input);
  }
}

/** Ignores errors of the stream: its reader has had them, and they would hide the reader's own error. */
function closed(input: Readable): Promise<void> {
  if (input.closed) return Promise.resolve();
  return new Promise((resolve) =>
    input
      .once('close', resolve)
      .once('error', () => undefined)
      .destroy(),
  );
}

async function openInput(path: string): Promise<Readable> {
  try {
    const file = await open(path);
    if (!(await file.stat()).isDirectory()) return file.createReadStream();
    await file.close();
  } catch (cause) {
    throw new CommandError(`The file ${path} cannot be read: ${readTrouble(cause as Error)}.`, { cause });
  }
  throw new CommandError(`The file ${path} cannot be read: it is a folder. Name a file in it.`);
}
