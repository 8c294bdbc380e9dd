import { blocksOf } from '../../../../counting/blocks.ts';
import { emptySum, kindBits, type Sum } from '../../../../counting/sum.ts';
import { toNumbers } from '../../../counts/visitors/sightings.ts';
import type { Connection } from '../../connection.ts';

interface OpenDay {
  id: number;
  day: number;
  forget_at: number | null;
}

interface SeenRow {
  visitor: bigint;
  sightings: Buffer;
}

const rowsAtATime = 5_000;

/**
 * What visitors of open days were seen on, after names were moved to others: whoever was seen on several names that become
 * one is counted on it once.
 *
 * @param targets by name; null: none
 */
export function moveSeen(db: Connection, project: number, targets: ReadonlyMap<number, number | null>): void {
  if (targets.size === 0) return;
  const days = db.prepare<[number], OpenDay>(
    'select id, day, forget_at from days where project = ? and salt is not null',
  );
  // The name was counted as several, of which each is a row until they are added up.
  const subtract = db.prepare(
    `insert into counts (project, what, parent, span, day, name,
       human_visitors, ai_visitors, visitors, human_views, ai_views)
     select project, what, parent, ?, ?, id, -?, -?, -?, 0, 0 from names where id = ? and project = ?
     on conflict do update set
       human_visitors = human_visitors + excluded.human_visitors,
       ai_visitors = ai_visitors + excluded.ai_visitors,
       visitors = visitors + excluded.visitors`,
  );
  for (const day of days.all(project)) {
    for (const [name, { humanVisitors, aiVisitors, visitors }] of rewrite(db, day.id, targets)) {
      for (const { span, day: start } of blocksOf(day.day, { isSealed: day.forget_at !== null }))
        subtract.run(span, start, humanVisitors, aiVisitors, visitors, name, project);
    }
  }
}

/** Answers by how much the visitors of names are too many when they are added up. */
function rewrite(db: Connection, day: number, targets: ReadonlyMap<number, number | null>): Map<number, Sum> {
  const some = db
    .prepare<[number, bigint, number], SeenRow>(
      'select visitor, sightings from seen where day = ? and visitor >= ? order by visitor limit ?',
    )
    .safeIntegers();
  const write = db.prepare('update seen set sightings = ? where day = ? and visitor = ?');
  const tooMany = new Map<number, Sum>();
  let next = -(2n ** 63n);
  for (;;) {
    const rows = some.all(day, next, rowsAtATime);
    for (const { visitor, sightings } of rows) {
      const moved = moveSightings(toNumbers(sightings), targets, tooMany);
      if (moved) write.run(new Uint8Array(moved.buffer), day, visitor);
    }
    const end = rows.at(-1);
    if (!end || rows.length < rowsAtATime) return tooMany;
    next = end.visitor + 1n;
  }
}

/** Undefined: none of them is moved. */
function moveSightings(
  sightings: Uint32Array,
  targets: ReadonlyMap<number, number | null>,
  tooMany: Map<number, Sum>,
): Uint32Array<ArrayBuffer> | undefined {
  if (!sightings.some((sighting) => targets.has(Math.floor(sighting / 4)))) return undefined;
  const kinds = new Map<number, number>();
  for (const sighting of sightings) {
    const name = Math.floor(sighting / 4);
    const target = targets.has(name) ? targets.get(name) : name;
    if (target === null || target === undefined) continue;
    const before = kinds.get(target);
    const seen = sighting & 3;
    kinds.set(target, (before ?? 0) | seen);
    if (before !== undefined) addTwice(tooMany, target, before & seen);
  }
  return Uint32Array.from(kinds, ([name, seen]) => name * 4 + seen);
}

function addTwice(tooMany: Map<number, Sum>, name: number, kinds: number): void {
  const sum = tooMany.get(name) ?? emptySum();
  tooMany.set(name, sum);
  sum.visitors++;
  if ((kinds & kindBits.human) !== 0) sum.humanVisitors++;
  if ((kinds & kindBits.ai) !== 0) sum.aiVisitors++;
}
