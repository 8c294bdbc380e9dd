import type { Route } from '../http/route.ts';
import { addressListRoute } from './address-list-route.ts';
import { projectRoutes } from './project-routes.ts';
import { factorRoutes } from './sign-in/factor-routes.ts';
import { signInRoutes } from './sign-in/routes.ts';
import { signOnRoutes } from './sign-on/routes.ts';

/** What the dashboard alone asks. Nothing of it is for keys, and nothing without a session but signing in. */
export const adminRoutes: readonly Route[] = [
  ...signInRoutes,
  ...factorRoutes,
  ...signOnRoutes,
  ...projectRoutes,
  addressListRoute,
];
