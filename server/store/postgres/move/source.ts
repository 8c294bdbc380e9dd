import { DatabaseError } from 'pg';
import { movedColumns } from '../../../database/tables/tables.ts';
import { parseRecord } from '../../jobs/job-rows.ts';
import {
  lastNames,
  type MovedCell,
  type MovedRow,
  type MovedTable,
  type MoveSource,
  movedTableNames,
  type Special,
} from '../../moved-tables.ts';
import { StoreError } from '../../store.ts';
import type { Connection } from '../connection.ts';
import { Sealing } from '../counts/sealing.ts';
import type { Database } from '../database.ts';
import { bringUpToDate } from '../schema.ts';
import { openDatabase } from '../store.ts';
import { withTrouble } from '../trouble.ts';
import { holdForMove, requireWhole } from './mark.ts';
import { readRows } from './rows.ts';

const special: Special = {
  ...lastNames,
  seen: { sightings: '(select array_agg(s order by s) from unnest(t.sightings) s)' },
  turns: {
    record: 'array_to_json(t.record)',
    next_message:
      '(select coalesce(max(position) + 1, 0) from messages m where m.job = t.job and m.turn = t.number)',
  },
};

/**
 * A PostgreSQL, held so that nobody uses it; nothing of it is changed but that it is brought up to date as by any command, and
 * that days are sealed whose sealing was begun.
 *
 * @throws StoreError `missing`, `in_use`, `newer`, `unusable`
 */
export async function openPostgresSource(url: string): Promise<MoveSource> {
  await prepare(url);
  const database = openDatabase(url);
  // All is read on the connection that holds it.
  let held: Connection | undefined;
  try {
    const connection = await database.connect();
    held = connection;
    await take(connection, database.name);
    const [key] = await connection.query<{ instance: string }>('select instance from secret_key');
    return {
      instance: key?.instance ?? null,
      read: (table) => read(connection, table, database.name),
      close: async () => {
        // Waits until the database has let go, so that whoever comes next is not refused.
        await connection.close();
        await database.close();
      },
    };
  } catch (error) {
    held?.destroy();
    await database.close();
    throw withTrouble(error, database.name);
  }
}

/** On connections of its own, as whoever holds the database is alone there. */
async function prepare(url: string): Promise<void> {
  const database = openDatabase(url);
  try {
    await bringUpToDate(database, true);
    await requireWhole(database);
    await finishSealing(database);
  } finally {
    await database.close();
  }
}

/** A day without a salt has left the open days, and is in no block yet. */
async function finishSealing(database: Database): Promise<void> {
  const begun = await database.query<{ projectId: string; through: number; keepsHours: boolean }>(
    `select public_id as "projectId", closed_through as through,
       settings ->> 'keepHoursDays' is not null as "keepsHours" from projects p
     where closed_through > coalesce(sealed_through, -2147483648)
       or exists (select from days d where d.project = p.id and d.salt is null and d.forget_at is null)`,
  );
  const sealing = new Sealing(database);
  for (const { projectId, through, keepsHours } of begun) {
    // Which of them are too old is seen to at the new place.
    await sealing.seal(projectId, through, keepsHours ? 0 : null);
  }
}

async function take(connection: Connection, name: string): Promise<void> {
  await holdForMove(connection, name);
  await connection.run('begin isolation level repeatable read');
  await connection.run(`set local idle_in_transaction_session_timeout = 0; set local lock_timeout = '10s'`);
  try {
    // Before anything is read, so that it is the last word; whoever lost a connection and comes back waits.
    await connection.run(`lock table ${movedTableNames}, pending_counts in share mode`);
    // Taken back at the end, as all of this transaction.
    await connection.run('select fold_all()');
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== '55P03') throw error;
    throw new StoreError(
      'in_use',
      `Somebody changes the database ${name}: stop that first. Nothing was changed.`,
    );
  }
}

async function* read(connection: Connection, table: MovedTable, name: string): AsyncGenerator<MovedRow[]> {
  try {
    for await (const rows of readRows(connection, table, special))
      yield rows.map((cells) => asWritten(table, [...cells]));
  } catch (error) {
    throw withTrouble(error, name);
  }
}

/** JSON as it is written in one go, so that both sides have the same. */
function asWritten(table: MovedTable, cells: MovedCell[]): MovedRow {
  const names = Object.keys(movedColumns(table));
  const change = (column: string, to: (cell: string) => MovedCell) => {
    const place = names.indexOf(column);
    const cell = cells[place];
    if (typeof cell === 'string') cells[place] = to(cell);
  };
  if (table === 'jobs') {
    change('failure', (json) => {
      const { code, message } = JSON.parse(json) as { code: string; message: string };
      return JSON.stringify({ code, message });
    });
  }
  if (table === 'turns') {
    const record = parseRecord(cells[names.indexOf('record')] as string);
    change('record', () => JSON.stringify(record));
    cells[names.indexOf('branch')] = record.branch ?? null;
    // What is no text a database of SQLite cannot hold.
    change('prompt', (json) => JSON.stringify((JSON.parse(json) as string).toWellFormed()));
  }
  return cells;
}
