import { expect, test } from 'vitest';
import type { SeriesReply } from '../../../shared/reports/analytics.ts';
import { createClock } from '../../support/clock.ts';
import { startImport } from '../../support/import/import-run.ts';
import { plausibleFile } from '../../support/import/plausible-export.ts';

test('series names the counted days before the 10,000 that it lists', async () => {
  const run = await startImport({}, createClock('2025-06-20T12:00:00Z').now);
  try {
    const series = (query = '') =>
      run.project.get<SeriesReply>(
        `/v1/analytics/${run.project.projectId}/series${query}`,
      ) as Promise<SeriesReply>;
    const recent = plausibleFile('visitors', [['2025-03-01', 1, 1, 0, 1, 0]]);
    await run.history([await run.write('recent.csv', recent.content)]);
    expect((await series()).omitted).toBeUndefined();
    const old = plausibleFile('visitors', [['1970-01-01', 1, 1, 0, 1, 0]]);
    await run.history([await run.write('old.csv', old.content)]);
    const { days, totals, omitted } = await series();
    expect([days.length, totals.views.total]).toEqual([10_000, 1]);
    expect(omitted).toEqual({ first: '1970-01-01', last: '1998-02-02' });
    expect((await series('?dateFrom=2025-01-01')).omitted).toBeUndefined();
  } finally {
    await run.stop();
  }
});
