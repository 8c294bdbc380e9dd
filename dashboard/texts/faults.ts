import { part } from './part.ts';

const failed = { one: '{count} request failed', other: '{count} requests failed' };
const viewed = { one: '{count} view by people', other: '{count} views by people' };

/** What is wrong with a page, in short. */
export const t = part('faults', {
  kinds: {
    not_found: 'Not found',
    refused: 'Refused to AI',
    ignored: 'Ignored by AI',
    unread: 'Not read by AI',
    outdated: 'Old version read',
    cut_off: 'Too long for AI',
    ai_heavy: 'Read by AI, not by people',
  },
  readers: {
    ...{ not_found: failed, refused: failed, ignored: viewed, unread: viewed, outdated: viewed },
    cut_off: { one: '{count} view cut off', other: '{count} views cut off' },
    ai_heavy: { one: '{count} view by AI', other: '{count} views by AI' },
  },
});
