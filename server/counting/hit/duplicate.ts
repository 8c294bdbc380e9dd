/** Who reports a view: the site's server, or the page itself. */
export type ReportedBy = 'report' | 'page';

/** The balance of a view: reports by the server minus reports by the page. */
export const balanceStep = { report: 1, page: -1 } as const;

/** How late the second report may come: a slow page, and a batch that was sent again. */
export const duplicateWithinMs = 60_000;

/** Whether a report is the second one of a view. @param balance before it */
export function isDuplicate(balance: number, by: ReportedBy): boolean {
  return balance * balanceStep[by] < 0;
}
