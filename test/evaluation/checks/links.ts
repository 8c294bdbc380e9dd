import { findBrokenLinks } from '../../../server/jobs/site/check/check-change.ts';
import type { Check } from '../task.ts';
import { lookAtAll } from './whole-site.ts';

/** Links, anchors and images of the whole site lead somewhere. */
export const links: Check = { name: 'links', find: (outcome) => lookAtAll(outcome, findBrokenLinks) };
