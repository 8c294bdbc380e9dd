import { StoreError } from '../store.ts';

/** https://sqlite.org/rescode.html: what the machine is to blame for, and not Headcount. */
const machineCodes = ['FULL', 'IOERR', 'READONLY', 'CANTOPEN', 'BUSY', 'CORRUPT', 'NOTADB'].map(
  (name) => `SQLITE_${name}`,
);

/** Such a failure in words for the operator; all others as they are. */
export function withTrouble(error: unknown, file: string): unknown {
  const code = codeOf(error);
  if (!machineCodes.some((known) => code === known || code.startsWith(`${known}_`))) return error;
  return new StoreError('unavailable', `The database ${file} cannot be used: ${(error as Error).message}.`, {
    cause: error,
  });
}

export function isFull(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_FULL';
}

function codeOf(error: unknown): string {
  return (error as { code?: string } | null)?.code ?? '';
}
