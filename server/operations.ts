import { ofProject } from './analytics/declared-route.ts';
import { exportRoute } from './analytics/export-route.ts';
import { glanceRoute } from './analytics/glance-route.ts';
import { analyticsRoutes } from './analytics/routes.ts';
import { descriptionRoutes } from './description/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { trackerRoutes } from './http/files/tracker-file.ts';
import type { Route } from './http/route.ts';
import { batchRoute } from './ingest/routes/batch-route.ts';
import { hitRoutes } from './ingest/routes/hit-routes.ts';
import { insightRoutes, searchRoutes } from './insights/routes.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { annotationOperations } from './operations/annotations.ts';
import { auditOperations } from './operations/audit.ts';
import { automationOperations } from './operations/automations.ts';
import { deliveryOperations } from './operations/deliveries.ts';
import { exclusionOperations } from './operations/exclusions.ts';
import { importOperations } from './operations/imports.ts';
import { jobOperations } from './operations/jobs.ts';
import { keyOperations } from './operations/keys.ts';
import { linkOperations } from './operations/links.ts';
import { withAlso } from './operations/operation.ts';
import { programOperations, projectOperations } from './operations/projects.ts';
import { renameOperations } from './operations/renames.ts';
import { savedViewOperations } from './operations/saved-views.ts';
import { factorOperations } from './operations/second-factor.ts';
import { suggestSections } from './operations/sections.ts';
import {
  addressLists,
  instanceRoute,
  metricsRoute,
  packageRoutes,
  robotsRoute,
} from './operations/server.ts';
import { signInOperations } from './operations/sign-in.ts';
import { signOnOperations } from './operations/sign-on.ts';
import { userOperations } from './operations/users.ts';
import { worklistOperations } from './operations/worklist.ts';
import { shareRoutes } from './share/routes.ts';
import { aiRulesRoute } from './sitefiles/ai-rules-route.ts';
import { freshnessRoute } from './sitefiles/freshness-route.ts';

/** Every operation of the HTTP interface. The pages of the dashboard are beside it. */
export const operations: readonly Route[] = [
  ...hitRoutes,
  batchRoute,
  ...trackerRoutes,
  ...packageRoutes,
  ...analyticsRoutes,
  exportRoute(ofProject, [...analyticsRoutes, ...insightRoutes, ...searchRoutes]),
  glanceRoute,
  freshnessRoute,
  aiRulesRoute,
  ...insightRoutes,
  ...withAlso(worklistOperations),
  ...withAlso(annotationOperations),
  ...withAlso(renameOperations),
  ...importOperations,
  suggestSections,
  ...savedViewOperations,
  ...searchRoutes,
  ...jobOperations,
  ...automationOperations,
  ...withAlso(programOperations),
  ...withAlso(keyOperations),
  ...withAlso(userOperations),
  ...auditOperations,
  ...deliveryOperations,
  ...signInOperations,
  ...factorOperations,
  ...signOnOperations,
  ...projectOperations,
  addressLists,
  ...exclusionOperations,
  ...linkOperations,
  ...shareRoutes,
  ...descriptionRoutes(() => operations),
  ...mcpRoutes(() => operations),
  ...healthRoutes,
  instanceRoute,
  metricsRoute,
  robotsRoute,
];
