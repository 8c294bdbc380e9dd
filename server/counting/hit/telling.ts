/** Who tells of a view: a report of the site's server, or the page itself. */
export type Teller = 'report' | 'page';

/** Each teller's part in the balance of a view: reports less tellings by the page. */
export const tellingStep = { report: 1, page: -1 } as const;

/** How long the second telling of a view may take: a slow page, and a report that was sent again. */
export const tellingMs = 60_000;

/** Whether a telling is the second one of a view; `balance`: before it. */
export function isSecondTelling(balance: number, by: Teller): boolean {
  return balance * tellingStep[by] < 0;
}
