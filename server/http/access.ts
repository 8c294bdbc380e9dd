import type { Request } from 'express';
import type { Role } from '../../shared/accounts/role.ts';
import type { SignedIn } from '../admin/sign-in/sessions.ts';
import type { Context } from '../context.ts';
import type { ErrorCode } from '../errors.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { Key } from '../store/projects.ts';
import {
  authorizedProject,
  authorizedProjects,
  keyAndProject,
  linkedProject,
  type Needs,
  requireAllProjectsKey,
  requireKey,
  requireOwner,
  requireProject,
  requireRole,
  requireSession,
  sessionProject,
} from './authorize.ts';
import { requireSameOrigin } from './same-origin.ts';

/** What an operation knows about its caller, by who may call it. */
export interface Grants {
  /** No authentication. */
  anyone: unknown;
  /** A page of this server, before or without a session. */
  own_page: unknown;
  /** Anyone who is signed in to the dashboard. */
  session: { session: SignedIn };
  /** Who has the route's role in all projects. */
  session_all: { session: SignedIn };
  /** Who has it in the project of the path, and the role that they have. */
  session_project: { project: LiveProject; role: Role };
  /** A key with the route's scope that covers the project of the path, or who has the route's role there. */
  project: { project: LiveProject };
  /** A key with the route's scope for all projects, or an owner of all. */
  owner: unknown;
  /** A key with the route's scope that covers the project of the path. */
  project_key: { project: LiveProject; key: Key };
  /** A key with the route's scope for all projects. */
  all_projects_key: { key: Key };
  /** A key with the route's scope, or the dashboard's session: all projects that it covers. */
  projects: { projects: LiveProject[] };
  /** A key with the route's scope, of one project or of all. */
  key: { key: Key };
  /** Requests signed with a secret of the project; the operation checks the signature once it has the body. */
  signed: { project: LiveProject };
  /** Anyone with the link to the shared page of a project. */
  page_link: { project: LiveProject };
  /** Anyone with the address of a project's badge. */
  badge_link: { project: LiveProject };
}

export type Access = keyof Grants;

interface AccessRule<A extends Access> {
  /** Whether it accepts keys; the route names the scope that they need. */
  keys: boolean;
  /** Whether they must be for all projects. */
  allProjects?: true;
  /** Whether it accepts the dashboard's session. */
  session: boolean;
  /** The errors for callers who lack this access, or who name something unknown. */
  refuses: readonly ErrorCode[];
  /**
   * Before the body is read: megabytes are taken only from those who may send them.
   *
   * @throws ApiError
   */
  check(context: Context, req: Request, needs: Needs): Grants[A];
}

export const accessRules: { readonly [A in Access]: AccessRule<A> } = {
  anyone: { keys: false, session: false, refuses: [], check: () => undefined },
  own_page: {
    keys: false,
    session: false,
    refuses: ['forbidden'],
    check: ({ config }, req) => requireSameOrigin(config, req),
  },
  session: {
    keys: false,
    session: true,
    refuses: ['unauthorized'],
    check: (context, req) => ({ session: requireSession(context, req) }),
  },
  session_all: {
    keys: false,
    session: true,
    refuses: ['unauthorized', 'forbidden'],
    check: (context, req, { role }) => ({ session: requireRole(context, req, role) }),
  },
  session_project: {
    keys: false,
    session: true,
    refuses: ['unauthorized', 'forbidden', 'not_found'],
    check: sessionProject,
  },
  owner: {
    keys: true,
    allProjects: true,
    session: true,
    refuses: ['unauthorized', 'forbidden'],
    check: requireOwner,
  },
  project: {
    keys: true,
    session: true,
    refuses: ['unauthorized', 'forbidden', 'not_found'],
    check: (context, req, needs) => ({ project: authorizedProject(context, req, needs) }),
  },
  project_key: {
    keys: true,
    session: false,
    refuses: ['unauthorized', 'forbidden', 'not_found'],
    check: keyAndProject,
  },
  all_projects_key: {
    keys: true,
    allProjects: true,
    session: false,
    refuses: ['unauthorized', 'forbidden'],
    check: (context, req, needs) => ({ key: requireAllProjectsKey(context, req, needs) }),
  },
  projects: {
    keys: true,
    session: true,
    refuses: ['unauthorized', 'forbidden'],
    check: (context, req, needs) => ({ projects: authorizedProjects(context, req, needs) }),
  },
  key: {
    keys: true,
    session: false,
    refuses: ['unauthorized', 'forbidden'],
    check: (context, req, needs) => ({ key: requireKey(context, req, needs) }),
  },
  signed: {
    keys: false,
    session: false,
    refuses: ['forbidden', 'not_found'],
    check: (context, req) => ({ project: requireProject(context, String(req.params.projectId)) }),
  },
  page_link: {
    keys: false,
    session: false,
    refuses: ['not_found'],
    check: (context, req) => ({ project: linkedProject(context, req, 'page') }),
  },
  badge_link: {
    keys: false,
    session: false,
    refuses: ['not_found'],
    check: (context, req) => ({ project: linkedProject(context, req, 'badge') }),
  },
};
