import { hash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomNumbers } from '../../../bench/random.ts';
import type { AddedProject } from '../../../server/operations/projects.ts';
import type { ProjectSettings } from '../../../shared/project/project.ts';
import { createClock, dayMs, type TestClock } from '../clock.ts';
import { type Headcount, type HeadcountOptions, startHeadcount } from '../headcount.ts';
import { countryDatabase } from '../places/country-database.ts';
import { type Recount, recount } from '../recount/recount.ts';
import { isOnPostgres } from '../store/chosen-engine.ts';
import { createBots } from './bots.ts';
import { createClients, createSilencedClient } from './clients.ts';
import { datasetGoals, eventOn } from './events.ts';
import { hostileViews } from './hostile.ts';
import { folderVariable, keptOnce } from './kept.ts';
import { createPeople } from './people.ts';
import { sendDataset } from './sender.ts';
import { siteHost } from './site.ts';
import { createDice, type Dataset, type DatasetDay } from './view.ts';

export interface DatasetOptions {
  /** The same number gives the same views. */
  seed?: number;
  days?: number;
  /** The moment at which the last view has been seen (RFC 3339); what comes after it that day is left out. */
  endsAt?: string;
  /** Adds views whose paths, referrers and campaigns are meant to harm a page that shows them. */
  hostile?: boolean;
  /** Adds an AI client that comes every day, and in the last week no more. */
  silenced?: boolean;
  /** Sets goals, and has some readers reach them. */
  events?: boolean;
}

/** Settings of the project that the dataset is of; its days are those of UTC. */
const datasetProject: Partial<ProjectSettings> = { name: 'Teapot', hosts: [siteHost] };

/** Three months of a documentation site: people, AI clients and bots, a trend, weeks and a launch. */
export function makeDataset(options: DatasetOptions = {}): Dataset {
  const { seed = 1, hostile = false, silenced = false } = options;
  const dice = createDice(randomNumbers(seed));
  const sorts = [createPeople(dice), createClients(dice), createBots(dice)];
  // With dice of its own, so that all else stays as it is.
  if (silenced) sorts.push(createSilencedClient(createDice(randomNumbers(seed + 1))));
  return daysOf(options).map((day) => {
    const views = sorts.flatMap((viewsOf) => viewsOf(day));
    return { ...day, views: hostile ? [...views, ...hostileViews()] : views };
  });
}

function daysOf({ days = 90, endsAt = '2026-11-20T23:59:00Z' }: DatasetOptions): DatasetDay[] {
  const endMs = Date.parse(endsAt);
  const firstMs = Math.floor(endMs / dayMs) * dayMs - (days - 1) * dayMs;
  const weekdayOf = (index: number) => new Date(firstMs + index * dayMs).getUTCDay();
  // A Tuesday after two thirds of the time.
  let launch = Math.floor((days * 2) / 3);
  while (weekdayOf(launch) !== 2) launch++;
  return Array.from({ length: days }, (_, index) => {
    const startMs = firstMs + index * dayMs;
    const endsAtMs = Math.min(startMs + dayMs - 60_000, endMs);
    return {
      date: new Date(startMs).toISOString().slice(0, 10),
      startMs,
      endsAtMs,
      progress: index / days,
      isWeekend: weekdayOf(index) % 6 === 0,
      sinceLaunch: index - launch,
      length: (endsAtMs - startMs) / dayMs,
    };
  });
}

export interface FilledHeadcount extends Headcount {
  clock: TestClock;
  /** Has every view of the dataset. */
  dataset: Dataset;
  /** What its reports have to say, of all days or of those from `from` to before `to` (`YYYY-MM-DD`). */
  expect(from?: string, to?: string): Recount;
}

type FilledOptions = Omit<HeadcountOptions, 'now' | 'project'> & { dataset?: DatasetOptions };

/** A server that has counted the dataset day by day, countries too, on a clock that then stops at its end. */
export async function startFilledHeadcount({
  dataset: options = {},
  ...rest
}: FilledOptions = {}): Promise<FilledHeadcount> {
  const dataset = makeDataset(options);
  const expect = (from = '', to = '9') => recount(dataset.filter(({ date }) => date >= from && date < to));
  // The demo is no run of tests, and has a folder of its own; a database of PostgreSQL is no folder.
  const isKept = process.env[folderVariable] !== undefined && rest.dataDir === undefined && !isOnPostgres;
  const filled = await (isKept ? startFromKept(options, dataset, rest) : fill(options, dataset, rest));
  return { ...filled, dataset, expect };
}

async function fill(
  { events = false }: DatasetOptions,
  dataset: Dataset,
  { env, ...rest }: FilledOptions,
): Promise<Headcount & { clock: TestClock }> {
  const clock = createClock(new Date(dataset[0]?.startMs ?? 0).toISOString());
  const headcount = await startHeadcount({
    ...rest,
    env: { ...withCountries, ...env },
    now: clock.now,
    rangesAt: dataset.at(-1)?.endsAtMs ?? 0,
    project: { ...datasetProject, ...(events && datasetGoals) },
  });
  await sendDataset(headcount, clock, dataset, events ? eventOn : undefined);
  return { ...headcount, clock };
}

/** Goes on with a copy of what the first test of the run that wanted this dataset had a server count. */
async function startFromKept(
  options: DatasetOptions,
  dataset: Dataset,
  { env, ...rest }: FilledOptions,
): Promise<Headcount & { clock: TestClock }> {
  const kept = await keptOnce(`dataset-${hash('sha1', JSON.stringify(options))}`, async (folder) => {
    const { clock, stop, ...project } = await fill(options, dataset, { dataDir: join(folder, 'data') });
    await stop();
    await writeFile(join(folder, 'left.json'), JSON.stringify(toLeft(project, clock)));
  });
  const { project, now } = JSON.parse(await readFile(join(kept, 'left.json'), 'utf8')) as Left;
  const dataDir = await mkdtemp(join(tmpdir(), 'headcount-'));
  await cp(join(kept, 'data'), dataDir, { recursive: true });
  const clock = createClock(now);
  const headcount = await startHeadcount({
    ...rest,
    env: { ...withCountries, ...env },
    now: clock.now,
    dataDir,
    goOnWith: project,
  });
  const stop = async () => {
    await headcount.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ...headcount, stop, clock };
}

const withCountries = { HEADCOUNT_COUNTRY_DATABASE: countryDatabase };

/** What goes on after a server that has counted a dataset. */
interface Left {
  project: AddedProject;
  now: string;
}

function toLeft({ projectId, adminKey, ingestKey, snippet }: AddedProject, clock: TestClock): Left {
  return {
    project: { projectId, adminKey, ingestKey, snippet },
    now: new Date(clock.now()).toISOString(),
  };
}
