/** Before and after every day that is counted, for a range without a beginning or an end. */
export const firstDay = -1e9;
export const lastDay = 1e9;
