import { tellingMs, tellingStep } from '../../../counting/telling.ts';
import type { KeyedBatch, RefusedView } from '../../receipt-store.ts';
import type { Session } from '../session.ts';

/** A claim of one of several batches. */
type Claim = KeyedBatch['claims'][number] & { batch: number };

type Telling = Claim & Required<Pick<Claim, 'telling'>>;
type Signed = Claim & Required<Pick<Claim, 'nonce'>>;

/** Of each batch the views that another one was quicker with. Used inside a transaction, whose end makes the claims hold. */
export async function claim(
  session: Session,
  batches: readonly KeyedBatch[],
  now: number,
): Promise<RefusedView[][]> {
  const claims = batches.flatMap((of, batch) => of.claims.map((one): Claim => ({ ...one, batch })));
  const signed = claims.filter((one): one is Signed => one.nonce !== undefined);
  const told = claims.filter((one): one is Telling => one.telling !== undefined);
  const refused: RefusedView[][] = batches.map(() => []);
  for (const place of await useNonces(session, signed, now)) add(refused, signed[place - 1], 'spoofed');
  const isCopy = ({ batch, view }: Claim) => refused[batch]?.some((one) => one.view === view) === true;
  const tellings = told.filter((one) => !isCopy(one));
  for (const place of await noteTellings(session, tellings, now))
    add(refused, tellings[place - 1], 'same_view');
  return refused;
}

async function useNonces(session: Session, signed: readonly Signed[], now: number): Promise<number[]> {
  if (signed.length === 0) return [];
  const [row] = await session.query<{ places: number[] }>('select use_nonces($1, $2) as places', [
    signed.map(({ nonce }) => nonce),
    now,
  ]);
  return row?.places ?? [];
}

async function noteTellings(session: Session, tellings: readonly Telling[], now: number): Promise<number[]> {
  if (tellings.length === 0) return [];
  const [row] = await session.query<{ places: number[] }>('select note_tellings($1, $2, $3, $4) as places', [
    tellings.map(({ telling }) => telling.of),
    tellings.map(({ telling }) => tellingStep[telling.by]),
    now,
    tellingMs,
  ]);
  return row?.places ?? [];
}

function add(refused: RefusedView[][], claim: Claim | undefined, reason: RefusedView['reason']): void {
  if (claim) refused[claim.batch]?.push({ view: claim.view, reason });
}
