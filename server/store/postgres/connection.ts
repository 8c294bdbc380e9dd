import { hash } from 'node:crypto';
import { Socket } from 'node:net';
import { Client, DatabaseError, type Notification, types } from 'pg';
import type { Queryable, SqlValue } from '../../database/sql.ts';

const connectMs = 5_000;
const keepAliveMs = 10_000;
/** Locks of a node that vanished are free after so long. */
const idleInTransactionMs = 60_000;

/** Statements are small, and compiling them takes longer than running them. */
const settings = ['jit=off', 'timezone=UTC'].map((setting) => `-c ${setting}`).join(' ');

const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = hash('sha256', text).slice(0, 24);
    names.set(text, name);
  }
  return name;
}

/** No text of PostgreSQL can hold U+0000. */
function storable(value: SqlValue): SqlValue {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
  return Array.isArray(value) && value.some((one) => typeof one === 'string' && one.includes('\0'))
    ? value.map(storable)
    : value;
}

/** One connection, which serves one at a time. */
export class Connection implements Queryable {
  readonly #client: Client;
  readonly #socket: Socket;
  #isUsable = true;
  #server: string | undefined;
  /** Resolves when it is lost or closed. */
  readonly ended: Promise<void>;

  /**
   * @param url holds the password: no error says it
   * @param program what the database calls it
   */
  static async open(url: string, program: string): Promise<Connection> {
    const socket = new Socket();
    const address = new URL(url);
    const given = address.searchParams.get('options');
    address.searchParams.set('options', given === null ? settings : `${settings} ${given}`);
    const client = new Client({
      connectionString: address.href,
      application_name: program,
      connectionTimeoutMillis: connectMs,
      idle_in_transaction_session_timeout: idleInTransactionMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
      stream: () => socket,
      types: columnTypes,
    });
    const connection = new Connection(client, socket);
    try {
      await client.connect();
      return connection;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  private constructor(client: Client, socket: Socket) {
    this.#client = client;
    this.#socket = socket;
    this.ended = new Promise((resolve) => {
      const end = () => {
        this.#isUsable = false;
        resolve();
      };
      client.on('error', end);
      client.on('end', end);
    });
  }

  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** Which start of which server it is to: what one has acknowledged another may not have. */
  async server(): Promise<string> {
    if (this.#server === undefined) {
      const [row] = await this.query<{ at: string }>('select pg_postmaster_start_time()::text as at');
      this.#server = row?.at ?? '';
    }
    return this.#server;
  }

  async query<Row extends object>(text: string, values: readonly SqlValue[] = []): Promise<Row[]> {
    const query = { name: nameOf(text), text, values: values.map(storable) };
    const { rows } = await this.#watch(this.#client.query<Row>(query));
    return rows;
  }

  /** Statements without values, as many as there are in the text. Answers what the last one did, such as `COMMIT`. */
  async run(text: string): Promise<string> {
    const results = [await this.#watch(this.#client.query(text))].flat();
    return results.at(-1)?.command ?? '';
  }

  /** Calls back with the text of each notice. */
  onNotice(listener: (text: string) => void): void {
    this.#client.on('notification', ({ payload }: Notification) => listener(payload ?? ''));
  }

  async close(): Promise<void> {
    if (!this.#isUsable) return this.destroy();
    this.#isUsable = false;
    await this.#client.end();
  }

  /** Closes the socket at once; statements in progress fail. */
  destroy(): void {
    this.#isUsable = false;
    this.#socket.destroy();
  }

  async #watch<T>(query: Promise<T>): Promise<T> {
    try {
      return await query;
    } catch (error) {
      if (isEnd(error)) this.destroy();
      throw error;
    }
  }
}

/** Whether nothing more can be asked on the connection, or nothing be written, as on a server that became a standby. */
function isEnd(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return error instanceof Error && !(error instanceof RangeError);
  return error.severity === 'FATAL' || error.severity === 'PANIC' || error.code === '25006';
}

/** https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat */
const oids = { bytea: 17, int8: 20, int8Array: 1016, date: 1082, numeric: 1700 } as const;

type Parse = (text: string) => unknown;

const parsers = new Map<number, Parse>([
  // A Buffer is not equal to an array of the same bytes.
  [oids.bytea, (text) => Uint8Array.from(types.getTypeParser(oids.bytea)(text))],
  [oids.int8, toNumber],
  // What `sum` makes of bigint.
  [oids.numeric, toNumber],
  [oids.int8Array, toBigInts],
  [oids.date, (text) => text],
]);

/** How columns come: counts as numbers, days as text. */
export const columnTypes = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): Parse =>
    (format !== 'binary' && parsers.get(oid)) || types.getTypeParser(oid, format ?? 'text'),
};

function toNumber(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) || text.includes('.')) return number;
  throw new RangeError('A number of the database is too large to be exact.');
}

function toBigInts(text: string): bigint[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',').map(BigInt);
}

/**
 * The rows of a statement in a transaction, some at a time.
 *
 * @param name one for each statement, as a prepared `fetch` has the columns that it began with
 */
export async function* readInParts<Row extends object>(
  connection: Connection,
  {
    name,
    sql,
    values,
    rowsAtATime,
  }: { name: string; sql: string; values?: readonly SqlValue[]; rowsAtATime: number },
): AsyncGenerator<Row[]> {
  await connection.query(`declare ${name} no scroll cursor for ${sql}`, values);
  for (;;) {
    const rows = await connection.query<Row>(`fetch ${rowsAtATime} from ${name}`);
    if (rows.length === 0) break;
    yield rows;
  }
  await connection.run(`close ${name}`);
}
