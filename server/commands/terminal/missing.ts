import { CommandError } from './command.ts';

/** What a damaged database could not give. */
export function listMissing(missing: readonly string[]): string {
  return missing.map((sentence) => `  ${sentence}.`).join('\n');
}

/** @throws CommandError where something is missing; what was written stays */
export function requireWhole(what: 'backup' | 'export', missing: readonly string[]): void {
  if (missing.length === 0) return;
  throw new CommandError(
    `The database is damaged, and the ${what} is incomplete. What it lacks:\n${listMissing(missing)}`,
  );
}
