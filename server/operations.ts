import { auditRoutes } from './admin/audit-routes.ts';
import { programRoutes } from './admin/program-routes.ts';
import { adminRoutes } from './admin/routes.ts';
import { glanceRoute } from './analytics/glance-route.ts';
import { analyticsRoutes } from './analytics/routes.ts';
import { descriptionRoutes } from './description/routes.ts';
import { instanceRoute } from './health/instance-route.ts';
import { healthRoutes } from './health/routes.ts';
import { packageRoutes } from './http/files/packages.ts';
import { robotsRoute } from './http/files/robots.ts';
import { trackerRoutes } from './http/files/tracker-file.ts';
import type { Route } from './http/route.ts';
import { batchRoute } from './ingest/routes/batch-route.ts';
import { hitRoutes } from './ingest/routes/hit-route.ts';
import { imageRoutes } from './ingest/routes/image-route.ts';
import { insightRoutes } from './insights/routes.ts';
import { searchRoutes } from './insights/search-routes.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { metricsRoute } from './metrics/route.ts';
import { automationOperations } from './operations/automations.ts';
import { jobOperations } from './operations/jobs.ts';
import { keyOperations } from './operations/keys.ts';
import { linkOperations } from './operations/links.ts';
import { markOperations } from './operations/marks.ts';
import { withAlso } from './operations/operation.ts';
import { userOperations } from './operations/users.ts';
import { outboxRoutes } from './outbox/routes.ts';
import { shareRoutes } from './share/routes.ts';
import { siteRoutes } from './sitefiles/routes.ts';

/** Every operation of the HTTP interface. The pages of the dashboard are beside it. */
export const operations: readonly Route[] = [
  ...hitRoutes,
  ...imageRoutes,
  batchRoute,
  ...trackerRoutes,
  ...packageRoutes,
  ...analyticsRoutes,
  glanceRoute,
  ...siteRoutes,
  ...insightRoutes,
  ...withAlso(markOperations),
  ...searchRoutes,
  ...jobOperations,
  ...automationOperations,
  ...programRoutes,
  ...withAlso(keyOperations),
  ...withAlso(userOperations),
  ...auditRoutes,
  ...outboxRoutes,
  ...adminRoutes,
  ...linkOperations,
  ...shareRoutes,
  ...descriptionRoutes(() => operations),
  ...mcpRoutes(() => operations),
  ...healthRoutes,
  instanceRoute,
  metricsRoute,
  robotsRoute,
];
