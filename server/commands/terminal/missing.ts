import { CommandError } from './command.ts';

/** The parts that could not be read from a damaged database. */
export function listMissing(missing: readonly string[]): string {
  return missing.map((sentence) => `  ${sentence}.`).join('\n');
}

/** @throws CommandError where something is missing; the written file stays */
export function requireWhole(what: 'backup' | 'export', missing: readonly string[]): void {
  if (missing.length === 0) return;
  throw new CommandError(
    `The database is damaged, and the ${what} is incomplete. It lacks:\n${listMissing(missing)}`,
  );
}
