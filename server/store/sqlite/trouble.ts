import { program } from '../../process/program.ts';
import { aboutDamage, StoreError, type StoreFault } from '../store.ts';

/** https://sqlite.org/rescode.html: what the machine is to blame for, and not Headcount. */
const machineCodes = ['FULL', 'IOERR', 'READONLY', 'CANTOPEN', 'BUSY'];
/** The file is not as it was written. A read that ends too early is that, too, as pages are read that should be there. */
const damageCodes = ['CORRUPT', 'NOTADB', 'IOERR_SHORT_READ', 'IOERR_CORRUPTFS'];

/** Such a failure in words for the operator; all others as they are. */
export function withTrouble(error: unknown, file: string): unknown {
  if (error instanceof StoreError) return error;
  if (isDamage(error)) return damaged(file, (error as Error).message, error);
  if (!hasCode(error, machineCodes)) return error;
  return new StoreError('unavailable', `The database ${file} cannot be used: ${(error as Error).message}.`, {
    cause: error,
    fault: faultOf(error),
  });
}

export function isDamage(error: unknown): boolean {
  return hasCode(error, damageCodes) || (error instanceof StoreError && error.code === 'damaged');
}

export function damaged(file: string, reason: string, cause?: unknown): StoreError {
  return new StoreError(
    'damaged',
    `The database ${file} is damaged: ${reason}. "${program} backup <new file>" saves what can be read, and lists the rest: ${aboutDamage}`,
    { cause },
  );
}

export function isFull(error: unknown): boolean {
  return hasCode(error, ['FULL']);
}

/** Some file systems say so in other words. */
export function hasNoRoom(error: unknown): boolean {
  return hasCode(error, ['FULL', 'IOERR']);
}

function faultOf(error: unknown): StoreFault | undefined {
  if (isFull(error)) return 'full';
  return hasCode(error, ['READONLY']) ? 'read_only' : undefined;
}

function hasCode(error: unknown, names: readonly string[]): boolean {
  const code = (error as { code?: string } | null)?.code ?? '';
  return names.some((name) => code === `SQLITE_${name}` || code.startsWith(`SQLITE_${name}_`));
}

/** Before what is hurt, where a server goes on with the rest. */
export const damageNotice = 'damaged: ';
