import { randomNumbers } from '../../../bench/random.ts';
import type { ProjectSettings } from '../../../shared/project/project.ts';
import { createClock, dayMs, type TestClock } from '../clock.ts';
import { type Headcount, type HeadcountOptions, startHeadcount } from '../headcount.ts';
import { countryDatabase } from '../places/country-database.ts';
import { type Recount, recount } from '../recount.ts';
import { createBots } from './bots.ts';
import { createClients, createSilencedClient } from './clients.ts';
import { datasetGoals, eventOn } from './events.ts';
import { hostileViews } from './hostile.ts';
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
  /** Adds views whose paths, referrers and campaigns are meant to harm whoever shows them. */
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

/** A server that has counted the dataset day by day, countries too, on a clock that then stands still at its end. */
export async function startFilledHeadcount({
  dataset: options = {},
  env,
  ...rest
}: Omit<HeadcountOptions, 'now' | 'project'> & { dataset?: DatasetOptions } = {}): Promise<FilledHeadcount> {
  const dataset = makeDataset(options);
  const clock = createClock(new Date(dataset[0]?.startMs ?? 0).toISOString());
  const headcount = await startHeadcount({
    ...rest,
    env: { HEADCOUNT_COUNTRY_DATABASE: countryDatabase, ...env },
    now: clock.now,
    rangesAt: dataset.at(-1)?.endsAtMs ?? 0,
    project: { ...datasetProject, ...(options.events && datasetGoals) },
  });
  await sendDataset(headcount, clock, dataset, options.events ? eventOn : undefined);
  const expect = (from = '', to = '9') => recount(dataset.filter(({ date }) => date >= from && date < to));
  return { ...headcount, clock, dataset, expect };
}
