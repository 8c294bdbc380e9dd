import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { searchableText } from '../../../counting/name-search.ts';
import type { Cell, MovedRow, MovedTable, MoveSource } from '../../moved-tables.ts';
import { movedTables } from '../../moved-tables.ts';
import { StoreError } from '../../store.ts';
import type { Connection } from '../connection.ts';
import { Seen } from '../counts/seen.ts';
import { openUpToDate } from '../opening.ts';
import { databaseFile } from '../store.ts';

const rowsAtATime = 5_000;

type Value = bigint | number | string | Uint8Array | null;

/** Tables and columns that are another thing here. */
const tables: Partial<Record<MovedTable, string>> = {
  days: '(select * from days where salt is not null)',
  new_names: '(select * from new_names where day in (select id from days where salt is not null))',
  name_takers: '(select * from name_takers where day in (select id from days where salt is not null))',
  seen: '(select * from seen where day in (select id from days where salt is not null))',
};
const columns: { [Table in MovedTable]?: Record<string, string> } = {
  projects: { last_name: '(select coalesce(max(id), 0) from names where project = t.id)' },
  names: { searchable: 'searchable(text)' },
  seen: { sightings: 'sightings_of(sightings)' },
  jobs: {
    failure: "iif(failure_code is null, null, json_object('code', failure_code, 'message', failure_message))",
    created_at: 'milliseconds(created_at)',
    archived_at: 'milliseconds(archived_at)',
  },
  turns: {
    prompt: 'json_of(prompt)',
    leased: "iif(leased, 'true', 'false')",
    branch: "record ->> 'branch'",
    next_message:
      '(select coalesce(max(position) + 1, 0) from messages m where m.job = t.job and m.turn = t.number)',
  },
  events: { at: 'milliseconds(at)' },
};

/**
 * The database in a data folder, held so that no server starts on it; nothing of it is changed but that it is brought up to
 * date as by any command.
 *
 * @throws StoreError `missing`, `in_use`, `newer`
 */
export function openSqliteSource(dataDir: string): MoveSource {
  const file = join(dataDir, databaseFile);
  if (!existsSync(file)) {
    throw new StoreError(
      'missing',
      `There is no database in the folder ${dataDir} to move: name the server's data folder with HEADCOUNT_DATA_DIR.`,
    );
  }
  const { db, close } = openUpToDate(file, 'server');
  try {
    define(db);
    // Everything that was seen is in one table from here on.
    db.transaction(() => new Seen(db).begin()).immediate();
    db.exec('begin immediate');
  } catch (error) {
    close();
    throw error;
  }
  return {
    read: (table) => read(db, table),
    close: () => {
      db.exec('rollback');
      close();
    },
  };
}

function* read(db: Connection, table: MovedTable): Generator<MovedRow[]> {
  const special = columns[table] ?? {};
  const selected = Object.keys(movedTables[table]).map((column) => special[column] ?? `t.${column}`);
  const rows = db
    .prepare<[], Value[]>(`select ${selected} from ${tables[table] ?? table} t`)
    .safeIntegers()
    .raw();
  let some: MovedRow[] = [];
  for (const row of rows.iterate()) {
    some.push(row.map(toCell));
    if (some.length < rowsAtATime) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

/** No text of PostgreSQL can hold U+0000. */
function toCell(value: Value): Cell {
  if (value === null) return null;
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return String(value).replaceAll('\0', '\uFFFD');
}

function define(db: Connection): void {
  db.function('searchable', { deterministic: true }, (text: unknown) => {
    const searchable = searchableText(String(text));
    return searchable === text ? null : searchable;
  });
  db.function('milliseconds', { deterministic: true }, (time: unknown) =>
    time === null ? null : BigInt(Date.parse(String(time))),
  );
  db.function('json_of', { deterministic: true }, (text: unknown) => JSON.stringify(String(text)));
  db.function('sightings_of', { deterministic: true }, (bytes: unknown) => sightingsOf(bytes as Uint8Array));
}

/** Here one number tells of both kinds, and there each has its own. */
function sightingsOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  const all = [...new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength))];
  const single = all.flatMap((one) => ((one & 3) === 3 ? [one - 2, one - 1] : [one]));
  return `{${single}}`;
}
