import type { Route } from '../http/route.ts';
import { aiRulesRoute } from './ai-rules-route.ts';
import { freshnessRoute } from './freshness-route.ts';

/** What is told of a project's site, and what it may be given. */
export const siteRoutes: readonly Route[] = [freshnessRoute, aiRulesRoute];
