import { Connection } from '../../../server/store/postgres/connection.ts';

/** What a connection is called in the database that waits for its next store. */
export const restingProgram = 'resting';

/** Who listens to the notices of a connection at the moment. */
const listeners = new WeakMap<Connection, (notice: string) => void>();

const atRest = new Map<string, Connection[]>();
const places = new Set<string>();

const placeOf = (url: string) => new URL(url).host + new URL(url).pathname;

/** As many as a store has at once. */
const maxResting = 4;

/**
 * From now on connections to this database are kept when they are closed, for the next store there. To make one takes a process
 * of PostgreSQL, which reads all functions anew: most of what a short test there takes.
 */
export function restConnections(url: string): void {
  places.add(placeOf(url));
}

const open = Connection.open;

Connection.open = async (url, program) => {
  const place = placeOf(url);
  if (!places.has(place)) return open(url, program);
  const key = `${place} ${program}`;
  const kept = await takeRested(key);
  return lend(kept ?? (await openNotifying(url, program)), key);
};

async function openNotifying(url: string, program: string): Promise<Connection> {
  const connection = await open(url, program);
  connection.onNotice((notice) => listeners.get(connection)?.(notice));
  return connection;
}

async function takeRested(key: string): Promise<Connection | undefined> {
  for (;;) {
    const kept = atRest.get(key)?.pop();
    if (kept === undefined) return undefined;
    // It may have been ended meanwhile.
    const isThere = kept.isUsable && (await kept.run('reset application_name').catch(() => null)) !== null;
    if (isThere) return kept;
    kept.destroy();
  }
}

/** The connection until it is closed. */
function lend(kept: Connection, key: string): Connection {
  let isOpen = true;
  const requireOpen = () => {
    if (!isOpen) throw new Error('Client was closed and is not queryable');
  };
  const lent: Pick<Connection, keyof Connection> = {
    ended: kept.ended,
    get isUsable() {
      return isOpen && kept.isUsable;
    },
    server: () => kept.server(),
    query: async (text, values) => {
      requireOpen();
      return kept.query(text, values);
    },
    run: async (text) => {
      requireOpen();
      return kept.run(text);
    },
    onNotice: (called) => void listeners.set(kept, called),
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      listeners.delete(kept);
      await rest(kept, key);
    },
    destroy: () => {
      isOpen = false;
      kept.destroy();
    },
  };
  return lent as Connection;
}

async function rest(kept: Connection, key: string): Promise<void> {
  const others = atRest.get(key) ?? [];
  if (!kept.isUsable || others.length >= maxResting) return kept.close();
  try {
    await kept.run(
      // A store may end in the middle of a transaction that reads: the next one would see what there was then.
      `rollback; unlisten *; select pg_advisory_unlock_all(); discard temp; reset all;
       set application_name = '${restingProgram}'`,
    );
    others.push(kept);
    atRest.set(key, others);
  } catch {
    kept.destroy();
  }
}
