import { DatabaseError } from 'pg';
import { aboutDamage, StoreError, type StoreFault } from '../store.ts';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: classes and codes that the machine is to blame for. */
const machineCodes = [
  // Connections, resources, an operator who intervenes, the system below.
  ...['08', '53', '57', '58'],
  // A standby that cannot be written to, and transactions that were ended as idle.
  ...['25006', '25P03'],
  // Failed after all retries.
  ...['40001', '40P01'],
];

/** A page, an index or a file is not as it was written. */
const damageCodes = ['XX001', 'XX002', '58P01'];

const refusalCodes = ['28', '3D', '42501'];

/**
 * The errors of Citus when it lost a server of shards during a statement, which may be done there; the code is a bug's.
 * https://github.com/citusdata/citus/blob/v13.0.5/src/backend/distributed/transaction/remote_transaction.c
 */
const lostServer = /^(failure on connection marked as essential|server closed the connection unexpectedly)/;

/** Whether it is not known if what was asked for is done: a connection was lost, or a server is stopped, this one or another. */
export function isUnknown(error: unknown): boolean {
  if (!(error instanceof DatabaseError) || error.severity !== 'ERROR') return true;
  return /^(08|57P)/.test(error.code ?? '') || lostServer.test(error.message);
}

/** A failure of the machine in words for the operator; all others as they are. */
export function withTrouble(error: unknown, name: string): unknown {
  if (error instanceof StoreError) return error;
  if (isDamage(error)) return damaged(name, error as Error);
  if (!isTrouble(error)) return error;
  return new StoreError('unavailable', `The database ${name} cannot be used: ${reasonOf(error as Error)}.`, {
    cause: error,
    fault: faultOf(error),
  });
}

export function isDamage(error: unknown): boolean {
  return error instanceof DatabaseError && damageCodes.includes(error.code ?? '');
}

function damaged(name: string, error: Error): StoreError {
  return new StoreError(
    'damaged',
    `The database ${name} is damaged: ${reasonOf(error)}. Restore it with PostgreSQL's own tools: ${aboutDamage}`,
    { cause: error },
  );
}

function faultOf(error: unknown): StoreFault | undefined {
  if (!(error instanceof DatabaseError)) return undefined;
  if (error.code === '53100') return 'full';
  return error.code === '25006' ? 'read_only' : undefined;
}

/** Waiting does not help: user, password or database are wrong, or the rights. */
export function isRefusal(error: unknown): boolean {
  const cause = error instanceof StoreError ? error.cause : error;
  return cause instanceof DatabaseError && refusalCodes.some((code) => cause.code?.startsWith(code));
}

function isTrouble(error: unknown): boolean {
  if (error instanceof DatabaseError) {
    const isKnown = [...machineCodes, ...refusalCodes].some(
      (known) => error.code?.startsWith(known) ?? false,
    );
    return isKnown || lostServer.test(error.message);
  }
  return isLostConnection(error);
}

/** https://nodejs.org/api/errors.html#common-system-errors, and what the driver says without a code. */
function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined
    ? /^(Connection terminated|timeout expired|Client has encountered a connection error|The server does not support SSL|There was an error establishing an SSL)/.test(
        error.message,
      )
    : /^(E[A-Z]+|ERR_(TLS|SSL|SOCKET)_\w+|[A-Z_]*CERT[A-Z_]*)$/.test(code);
}

/** Several addresses of one host fail together, with a message for each and none of their own. */
function reasonOf(error: Error): string {
  const text =
    error instanceof AggregateError && error.message === '' ? error.errors[0]?.message : error.message;
  return String(text).replace(/\.$/, '');
}
