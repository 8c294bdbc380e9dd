import { expect } from 'vitest';
import { createClock, type TestClock } from '../clock.ts';
import { type Headcount, startHeadcount } from '../headcount.ts';
import { type JobClient, jobClient } from './jobs.ts';

export const repository = 'https://git.example.com/owner/site';
/** The settings of a project that can have jobs. */
export const project = { repository, ref: 'main', model: 'anthropic/claude-opus-4-5' };

/** A server with such a project, whose turns nobody works off. */
export interface JobApi {
  clock: TestClock;
  headcount: Headcount;
  jobs: JobClient;
  /** A project of its own, so that tests do not share limits or queues. */
  newProject(settings?: object): Promise<JobClient>;
}

export async function startJobApi(): Promise<JobApi> {
  const clock = createClock('2026-11-20T10:00:00.000Z');
  const headcount = await startHeadcount({ project, now: clock.now });
  return {
    clock,
    headcount,
    jobs: jobClient(headcount.url, headcount),
    newProject: async (settings = project) => jobClient(headcount.url, await headcount.addProject(settings)),
  };
}

export async function bodyOf<T>(response: Response, status: number): Promise<T> {
  const text = await response.text();
  expect([response.status, text]).toEqual([status, expect.any(String)]);
  return JSON.parse(text) as T;
}
