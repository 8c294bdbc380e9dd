import type { StoreRisk } from '../../check-store.ts';
import type { Queryable } from '../queryable.ts';

const clockToleranceMs = 10_000;

interface Settings {
  fsync: string;
  commits: string;
  pages: string;
  isReadOnly: boolean;
  mayMakeTables: boolean;
  at: number;
}

/** How the server is set up, a sentence for each setting that a promise of Headcount depends on. */
export async function findRisks(db: Queryable, now: number): Promise<StoreRisk[]> {
  const startedAt = performance.now();
  const [settings] = await db.query<Settings>(
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commits,
       current_setting('full_page_writes') as pages,
       current_setting('default_transaction_read_only')::boolean as "isReadOnly",
       has_schema_privilege(current_schema(), 'create') as "mayMakeTables",
       floor(extract(epoch from clock_timestamp()) * 1000)::bigint as at`,
  );
  if (!settings) return [];
  return [
    ...loss(settings),
    ...rights(settings),
    ...clock(settings.at - now - (performance.now() - startedAt)),
  ];
}

function loss({ fsync, commits, pages }: Settings): StoreRisk[] {
  const off = [
    ...(fsync === 'off' ? ['fsync'] : []),
    ...(commits === 'off' ? ['synchronous_commit'] : []),
    ...(pages === 'off' ? ['full_page_writes'] : []),
  ];
  return off.map((setting) => ({
    kind: 'durability',
    message: `${setting} is off in PostgreSQL, so that hits that were answered with 202 can be lost with the power: set it to on.`,
  }));
}

function rights({ isReadOnly, mayMakeTables }: Settings): StoreRisk[] {
  const risks: StoreRisk[] = [];
  if (isReadOnly) {
    risks.push({
      kind: 'rights',
      message: 'default_transaction_read_only is on in PostgreSQL: nothing can be counted.',
    });
  }
  if (!mayMakeTables) {
    risks.push({
      kind: 'rights',
      message:
        'The database user may not create tables in its schema, but each day needs one for its visitors: "grant create on schema … to …".',
    });
  }
  return risks;
}

function clock(aheadMs: number): StoreRisk[] {
  if (Math.abs(aheadMs) <= clockToleranceMs) return [];
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  return [
    {
      kind: 'clock',
      message: `The clock of the database is ${seconds} seconds ${aheadMs > 0 ? 'ahead of' : 'behind'} that of this machine: have a time server keep both.`,
    },
  ];
}
