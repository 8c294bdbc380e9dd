/** Ranges of days with a name, which end today or with a day before. */
export const rangeKeys = ['today', '7d', '30d', '90d', 'month', 'last-month', 'year', 'all'] as const;
/** Those that are not in the dashboard's row. */
export const moreRangeKeys = ['yesterday', '2d', 'last-week', '28d', 'ytd'] as const;

export type RangeKey = (typeof rangeKeys)[number] | (typeof moreRangeKeys)[number];
