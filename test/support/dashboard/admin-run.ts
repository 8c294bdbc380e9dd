import { createClock, type TestClock } from '../clock.ts';
import { errorOf, type Headcount, startHeadcount } from '../headcount.ts';
import { type DashboardClient, openDashboard } from './dashboard.ts';

export const base = '/v1/admin/projects';

/** A server with a project, and what its administrator asks it over HTTP. */
export interface AdminRun {
  clock: TestClock;
  headcount: Headcount;
  client: DashboardClient;
  /** Below the project. */
  pathOf(rest?: string): string;
  /** Status, sentence and places of what is refused. */
  refusal(method: string, path: string, body?: unknown): Promise<[number, string, unknown]>;
}

export async function startAdminRun(): Promise<AdminRun> {
  const clock = createClock('2026-11-20T10:00:00Z');
  const headcount = await startHeadcount({ now: clock.now, project: { name: 'First' } });
  const client = await openDashboard(headcount);
  return {
    clock,
    headcount,
    client,
    pathOf: (rest = '') => `${base}/${headcount.projectId}${rest}`,
    refusal: async (method, path, body) => {
      const response = await client.send(method, path, { body });
      const { error, details } = await errorOf(response);
      return [response.status, error, details?.map(({ path }) => path)];
    },
  };
}
