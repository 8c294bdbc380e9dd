import { setTimeout as pause } from 'node:timers/promises';
import { StoreError } from '../../../store.ts';
import type { Connection } from '../../connection.ts';
import type { Database } from '../../database.ts';
import { isRefusal, isUnknown } from '../../trouble.ts';

/** Long before a database forgets which batches it has counted. */
export const longestMs = 10 * 60_000;
export const againMs = 200;

/**
 * Asks for what has to be done once, and may be asked for again: where the connection is lost before the answer, until a
 * database answers, perhaps another one that took over. Where nothing was asked at all it fails at once.
 *
 * @param mustBeDone whether it is asked again even then, as something was done already that belongs to it
 */
export function untilAnswered<T>(
  database: Database,
  ask: (connection: Connection) => Promise<T>,
  mustBeDone: () => boolean = () => false,
): Promise<T> {
  let mayBeDone = false;
  const askOnce = async () => {
    let wasAsked = false;
    try {
      return await database.alone((connection) => {
        wasAsked = true;
        return ask(connection);
      });
    } catch (error) {
      mayBeDone ||= wasAsked && error instanceof StoreError && isUnknown(error.cause);
      throw error;
    }
  };
  return untilReached(askOnce, () => mayBeDone || mustBeDone());
}

/** Does again what the database was not there for, as long as it has to be done. What it refuses it would refuse again. */
export async function untilReached<T>(work: () => Promise<T>, mustBeDone: () => boolean): Promise<T> {
  const endAt = performance.now() + longestMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'unavailable') throw error;
      if (!mustBeDone() || isRefusal(error) || performance.now() > endAt) throw error;
      await pause(againMs);
    }
  }
}
