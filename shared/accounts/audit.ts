import { z } from 'zod';
import { oneOf, paging } from '../reports/analytics.ts';

/** The query of the audit list. */
export const auditQuery = z.object({
  ...paging({ max: 250, standard: 50 }),
  format: oneOf(['json', 'csv'])
    .default('json')
    .describe('`csv`: the newest 50,000 rows in a file, whatever `limit` and `offset`.'),
});

export type AuditQuery = z.infer<typeof auditQuery>;
