import type { Request } from 'express';
import type { Role } from '../../shared/accounts/role.ts';
import type { SignedIn } from '../admin/sign-in/sessions.ts';
import type { Context } from '../context.ts';
import type { ErrorCode } from '../errors.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { Key, KeyScope } from '../store/project-store.ts';
import {
  authorizedProject,
  authorizedProjects,
  keyAndProject,
  linkedProject,
  requireAdminKey,
  requireAllProjectsKey,
  requireKey,
  requireOwner,
  requireProject,
  requireRole,
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
  /** Whoever is signed in to the dashboard. */
  session: { session: SignedIn };
  /** Who has the route's role in all projects. */
  session_all: { session: SignedIn };
  /** Who has it in the project of the path, and the role that they have. */
  session_project: { project: LiveProject; role: Role };
  /** An admin key that covers the project of the path, or who has the route's role there. */
  project: { project: LiveProject };
  /** An admin key for all projects, or an owner of all. */
  owner: unknown;
  /** An admin key that covers the project of the path. */
  project_key: { project: LiveProject; key: Key };
  /** An admin key, of one project or of all. */
  admin_key: { key: Key };
  /** An admin key for all projects. */
  all_projects_key: { key: Key };
  /** An admin key, or the dashboard's session: all projects that it covers. */
  projects: { projects: LiveProject[] };
  /** A key of any scope. */
  key: { key: Key };
  /** Who signs what is sent with a secret of the project; the operation looks at that once it has the body. */
  signed: { project: LiveProject };
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
  /**
   * Before the body is read: megabytes are taken only from those who may send them.
   *
   * @param role the least that who is signed in has to have
   * @throws ApiError
   */
  check(context: Context, req: Request, role: Role): Grants[A];
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
  session_all: {
    keys: [],
    session: true,
    refuses: ['unauthorized', 'forbidden'],
    check: (context, req, role) => ({ session: requireRole(context, req, role) }),
  },
  session_project: {
    keys: [],
    session: true,
    refuses: ['unauthorized', 'forbidden', 'not_found'],
    check: sessionProject,
  },
  owner: {
    keys: ['admin'],
    allProjects: true,
    session: true,
    refuses: ['unauthorized', 'forbidden'],
    check: requireOwner,
  },
  project: {
    keys: ['admin'],
    session: true,
    refuses: ['unauthorized', 'forbidden', 'not_found'],
    check: (context, req, role) => ({ project: authorizedProject(context, req, role) }),
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
  projects: {
    keys: ['admin'],
    session: true,
    refuses: ['unauthorized', 'forbidden'],
    check: (context, req) => ({ projects: authorizedProjects(context, req) }),
  },
  key: {
    keys: ['admin', 'ingest'],
    session: false,
    refuses: ['unauthorized'],
    check: (context, req) => ({ key: requireKey(context, req) }),
  },
  signed: {
    keys: [],
    session: false,
    refuses: ['forbidden', 'not_found'],
    check: (context, req) => ({ project: requireProject(context, String(req.params.projectId)) }),
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
