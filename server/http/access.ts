import type { Request } from 'express';
import type { Context } from '../context.ts';
import type { ErrorCode } from '../errors.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { Session } from '../store/admin-store.ts';
import type { Key, KeyScope } from '../store/project-store.ts';
import {
  authorizedProject,
  keyAndProject,
  linkedProject,
  requireAdminKey,
  requireAllProjectsKey,
  requireKey,
  requireSession,
  sessionProject,
} from './authorize.ts';
import { requireSameOrigin } from './same-origin.ts';

/** What an operation is told about its caller, by who may call it. */
export interface Grants {
  /** Nobody has to say who they are. */
  anyone: unknown;
  /** A page of this server, before or without a session. */
  own_page: unknown;
  session: { session: Session };
  /** The dashboard's session, for the project of the path. */
  session_project: { project: LiveProject };
  /** An admin key that covers the project of the path, or the dashboard's session. */
  project: { project: LiveProject };
  /** An admin key that covers the project of the path. */
  project_key: { project: LiveProject; key: Key };
  /** An admin key, of one project or of all. */
  admin_key: { key: Key };
  /** An admin key for all projects. */
  all_projects_key: { key: Key };
  /** A key of any scope. */
  key: { key: Key };
  /** Whoever has the link to the shared page of a project. */
  page_link: { project: LiveProject };
  /** Whoever has the address of a project's badge. */
  badge_link: { project: LiveProject };
}

export type Access = keyof Grants;

interface AccessRule<A extends Access> {
  /** Scopes of the keys that it accepts. */
  keys: readonly KeyScope[];
  /** Whether they must be for all projects. */
  allProjects?: true;
  /** Whether it accepts the dashboard's session. */
  session: boolean;
  /** What callers who are no such ones, or what they name, may be refused with. */
  refuses: readonly ErrorCode[];
  /** Before the body is read: megabytes are taken only from those who may send them. @throws ApiError */
  check(context: Context, req: Request): Grants[A];
}

export const accessRules: { readonly [A in Access]: AccessRule<A> } = {
  anyone: { keys: [], session: false, refuses: [], check: () => undefined },
  own_page: {
    keys: [],
    session: false,
    refuses: ['forbidden'],
    check: ({ config }, req) => requireSameOrigin(config, req),
  },
  session: {
    keys: [],
    session: true,
    refuses: ['unauthorized'],
    check: (context, req) => ({ session: requireSession(context, req) }),
  },
  session_project: {
    keys: [],
    session: true,
    refuses: ['unauthorized', 'not_found'],
    check: (context, req) => ({ project: sessionProject(context, req) }),
  },
  project: {
    keys: ['admin'],
    session: true,
    refuses: ['unauthorized', 'forbidden', 'not_found'],
    check: (context, req) => ({ project: authorizedProject(context, req) }),
  },
  project_key: {
    keys: ['admin'],
    session: false,
    refuses: ['unauthorized', 'forbidden', 'not_found'],
    check: (context, req) => keyAndProject(context, req),
  },
  admin_key: {
    keys: ['admin'],
    session: false,
    refuses: ['unauthorized', 'forbidden'],
    check: (context, req) => ({ key: requireAdminKey(context, req) }),
  },
  all_projects_key: {
    keys: ['admin'],
    allProjects: true,
    session: false,
    refuses: ['unauthorized', 'forbidden'],
    check: (context, req) => ({ key: requireAllProjectsKey(context, req) }),
  },
  key: {
    keys: ['admin', 'ingest'],
    session: false,
    refuses: ['unauthorized'],
    check: (context, req) => ({ key: requireKey(context, req) }),
  },
  page_link: {
    keys: [],
    session: false,
    refuses: ['not_found'],
    check: (context, req) => ({ project: linkedProject(context, req, 'page') }),
  },
  badge_link: {
    keys: [],
    session: false,
    refuses: ['not_found'],
    check: (context, req) => ({ project: linkedProject(context, req, 'badge') }),
  },
};
