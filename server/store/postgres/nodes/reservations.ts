import { balanceStep, duplicateWithinMs } from '../../../counting/hit/duplicate.ts';
import type { Queryable } from '../../../database/sql.ts';
import type { KeyedBatch, RefusedView } from '../../receipts.ts';

/** A reservation of one of several batches. */
type Reservation = KeyedBatch['reservations'][number] & { batch: number };

type Reported = Reservation & Required<Pick<Reservation, 'report'>>;
type Signed = Reservation & Required<Pick<Reservation, 'nonce'>>;

/**
 * Of each batch the views that another one reserved first. Used inside a transaction, whose end makes the reservations
 * hold.
 */
export async function reserve(
  db: Queryable,
  batches: readonly KeyedBatch[],
  now: number,
): Promise<RefusedView[][]> {
  const reservations = batches.flatMap((of, batch) =>
    of.reservations.map((one): Reservation => ({ ...one, batch })),
  );
  const signed = reservations.filter((one): one is Signed => one.nonce !== undefined);
  const reported = reservations.filter((one): one is Reported => one.report !== undefined);
  const refused: RefusedView[][] = batches.map(() => []);
  for (const place of await useNonces(db, signed, now)) add(refused, signed[place - 1], 'spoofed');
  const isCopy = ({ batch, view }: Reservation) => refused[batch]?.some((one) => one.view === view) === true;
  const reports = reported.filter((one) => !isCopy(one));
  for (const place of await noteReports(db, reports, now)) add(refused, reports[place - 1], 'same_view');
  return refused;
}

async function useNonces(db: Queryable, signed: readonly Signed[], now: number): Promise<number[]> {
  if (signed.length === 0) return [];
  const [row] = await db.query<{ places: number[] }>('select use_nonces($1, $2) as places', [
    signed.map(({ nonce }) => nonce),
    now,
  ]);
  return row?.places ?? [];
}

async function noteReports(db: Queryable, reports: readonly Reported[], now: number): Promise<number[]> {
  if (reports.length === 0) return [];
  const [row] = await db.query<{ places: number[] }>('select note_tellings($1, $2, $3, $4) as places', [
    reports.map(({ report }) => report.of),
    reports.map(({ report }) => balanceStep[report.by]),
    now,
    duplicateWithinMs,
  ]);
  return row?.places ?? [];
}

function add(
  refused: RefusedView[][],
  reservation: Reservation | undefined,
  reason: RefusedView['reason'],
): void {
  if (reservation) refused[reservation.batch]?.push({ view: reservation.view, reason });
}

/** Twice as long as it is looked at. */
const reportKeptMs = 2 * 60_000;
/** Signatures live no longer than a day, and clocks may differ. */
const nonceKeptMs = 25 * 60 * 60 * 1000;

const forgottenAtATime = 5000;

/** Deletes some that are too old. */
export async function forgetReservations(db: Queryable, clock: () => number | null): Promise<void> {
  for (const [table, key, keptMs] of [
    ['pairs', 'view', reportKeptMs],
    ['nonces', 'nonce', nonceKeptMs],
  ] as const) {
    // Skips rows that another node is deleting.
    await db.query(
      `delete from ${table} where ${key} in (
         select ${key} from ${table} where at <= store_clock($1) - $2 order by at limit $3 for update skip locked
       )`,
      [clock(), keptMs, forgottenAtATime],
    );
  }
}
