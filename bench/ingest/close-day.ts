import { randomBytes } from 'node:crypto';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { View } from '../../server/counting/view.ts';
import { openForWriting } from '../../server/store/sqlite/connection.ts';
import { daySealing } from '../../server/store/sqlite/counts/sealing.ts';
import { databaseFile, openSqliteStore } from '../../server/store/sqlite/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { noNames, openDay } from '../../test/support/views.ts';
import { atMost, type Bench, type Finding } from '../bench.ts';
import { randomNumbers } from '../random.ts';
import { median } from '../statistics.ts';

const visitors = 1_000_000;
const rounds = 3;
const day = 20_000;
const projectId = 'close-day';

/** CPU time of closing a day of a million visitors, as a ratio to one of which nothing is kept for filters together. */
export async function measureCloseDay(bench: Bench): Promise<Finding[]> {
  const folder = join(bench.folder, 'close-day');
  bench.log(`a day of ${visitors} visitors is counted …`);
  await countDay(folder);
  const [kept, plain]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    kept.push(await close(folder, true));
    plain.push(await close(folder, false));
    bench.log(`closed in ${kept.at(-1)?.toFixed(1)} s, without what is kept ${plain.at(-1)?.toFixed(1)} s`);
  }
  const ratio = median(kept) / median(plain);
  return [
    {
      what: 'CPU time of closing a day of a million visitors, as a ratio to one without filters together',
      value: ratio.toFixed(2),
      target: atMost(ratio, 1.5),
    },
    { what: 'the same in seconds', value: `${median(kept).toFixed(1)} s` },
  ];
}

/** Visitors with values of all kinds, of which the first are common, on two views each as a rule. */
async function countDay(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const store = await openSqliteStore(folder);
  const settings = projectSettings.parse({ name: 'Closed' });
  await store.addProject({ id: projectId, settings, createdAt: '2026-01-01T00:00:00.000Z' }, []);
  await openDay(store, projectId, day, randomBytes(45));
  const random = randomNumbers(7);
  /** From 0 to below `count`, the first ones more often. */
  const draw = (count: number) => Math.floor(count ** random()) - 1;
  let views: View[] = [];
  for (let visitor = 0; visitor < visitors; visitor++) {
    const isAi = random() < 0.05;
    const sender = {
      ...{ ...noNames, projectId, day, visitor: BigInt.asIntN(64, BigInt(visitor) * 0x9e3779b97f4a7c15n) },
      ...{ network: visitor, kind: isAi ? ('ai' as const) : ('human' as const) },
      ...{ country: `C${draw(60)}`, region: `R${draw(200)}`, device: `D${draw(3)}`, browser: `B${draw(5)}` },
      ...{ system: `S${draw(6)}`, screen: `${draw(5)}`, language: `l${draw(20)}` },
      client: isAi ? { name: `Bot${draw(9)}`, proof: 'claimed' as const } : null,
    };
    const moment = Math.floor(random() * 80_000) * 4;
    const count = 1 + Math.floor(-Math.log(1 - random()) * 1.2);
    for (let view = 0; view < count; view++) {
      const source = view === 0 && random() < 0.6 ? `s${draw(60)}.example` : '(direct)';
      views.push({ ...sender, path: `/docs/${draw(2000)}`, moment: moment + view, source });
    }
    if (views.length < store.viewsPerBatch && visitor < visitors - 1) continue;
    await store.countViews(views, []);
    views = [];
  }
  await store.close();
}

/** Seconds of CPU. @param isKept with the values of views, of which cells are made */
async function close(folder: string, isKept: boolean): Promise<number> {
  const copy = `${folder}-copy`;
  await cp(folder, copy, { recursive: true });
  const db = openForWriting(join(copy, databaseFile));
  if (!isKept) db.exec('update visit_views set view_values = null');
  db.pragma('wal_checkpoint(TRUNCATE)');
  const sealing = daySealing(db, () => undefined);
  const before = process.cpuUsage();
  await sealing.seal(projectId, day);
  const { user, system } = process.cpuUsage(before);
  db.close();
  await rm(copy, { recursive: true });
  return (user + system) / 1e6;
}
