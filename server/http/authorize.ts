import type { Request } from 'express';
import { type KeyScope, scopesWith } from '../../shared/accounts/key-scope.ts';
import { isAtLeast, type Role, roleIn } from '../../shared/accounts/role.ts';
import type { SignedIn } from '../admin/sign-in/sessions.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { programForStrangers } from '../process/program.ts';
import { isKey } from '../projects/key.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { Actor } from '../store/admin/audit.ts';
import type { User } from '../store/admin/users.ts';
import type { Key, Link } from '../store/projects.ts';
import { quoted } from '../text/one-line.ts';
import { addressOf } from './client-address.ts';
import { readSessionCookie } from './cookie.ts';
import { requireSameOrigin } from './same-origin.ts';

function unauthorized(message: string): ApiError {
  return new ApiError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/** What an operation needs: of users the role, of keys the scope. */
export interface Needs {
  role: Role;
  scope: KeyScope;
}

/** The same whether or not there is such a project. */
const noAccess = (projectId: string) =>
  new ApiError(
    'forbidden',
    `No access to project "${quoted(projectId)}": check the id, or use an admin key for it.`,
  );

/** The key of the request (RFC 6750), if it has the scope. @throws ApiError `unauthorized`, `forbidden` */
export function requireKey(context: Context, req: Request, { scope }: Needs): Key {
  const key = findKey(context, req);
  const enough = scopesWith(scope);
  if (enough.includes(key.scope)) return key;
  throw new ApiError(
    'forbidden',
    `This needs a key with the scope ${enough.join(' or ')}, and this one has the scope ${key.scope}.`,
  );
}

/** Whatever it may do. @throws ApiError `unauthorized`; `forbidden` where it may not be used from there */
function findKey(context: Context, req: Request): Key {
  const { registry, keyUses, now } = context;
  const header = req.get('authorization');
  if (header === undefined) {
    throw unauthorized('This needs an API key: send "Authorization: Bearer hc_…".');
  }
  const secret = readSecret(header);
  if (secret === undefined) {
    throw unauthorized(
      /^\s*hc_/.test(header)
        ? 'Missing "Bearer " before the key: send "Authorization: Bearer hc_…".'
        : 'This needs an API key: send "Authorization: Bearer hc_…", with nothing after the key.',
    );
  }
  const key = registry.findKey(secret);
  if (!key) {
    throw unauthorized(`Unknown or revoked API key. Create one with "${programForStrangers} key add".`);
  }
  if (key.isOver(now())) {
    throw unauthorized(
      `This API key expired at ${key.expiresAt}: create one with "${programForStrangers} key add".`,
    );
  }
  const address = addressOf(context, req);
  if (!key.isUsableFrom(address)) {
    throw new ApiError(
      'forbidden',
      `This key may not be used from ${address}: use it from one of its networks, or use a key without that limit.`,
    );
  }
  keyUses.note(key);
  return key;
}

function readSecret(header: string): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header)?.[1];
}

/** Whether a request may succeed when it is tried again: its key, project or link may have been made just now. */
export function mayBeNew(error: unknown, { registry }: Context, req: Request): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.code === 'not_found') return true;
  const secret = readSecret(req.get('authorization') ?? '') ?? '';
  return error.code === 'unauthorized' && isKey(secret) && !registry.findKey(secret);
}

/** The dashboard's session; of the request's own origin where it may change something. @throws ApiError */
export function requireSession(context: Context, req: Request): SignedIn {
  const session = findSession(context, req);
  if (!session) {
    throw new ApiError('unauthorized', 'This needs the dashboard: sign in first.', {
      headers: { 'WWW-Authenticate': 'Session' },
    });
  }
  return session;
}

/** @throws ApiError `forbidden` where a request that may change something comes from elsewhere */
function findSession({ sessions, config }: Context, req: Request): SignedIn | undefined {
  const session = sessions.find(readSessionCookie(config, req));
  if (session && req.method !== 'GET' && req.method !== 'HEAD') requireSameOrigin(config, req);
  return session;
}

/** Who sends a request that was let in; null: who has no key and is not signed in. */
export function actorOf(context: Context, req: Request): Actor | null {
  const key = context.registry.findKey(readSecret(req.get('authorization') ?? '') ?? '');
  if (key) return { kind: 'key', id: key.id, name: key.name };
  const session = context.sessions.find(readSessionCookie(context.config, req));
  if (!session) return null;
  const { user } = session;
  return user === null
    ? { kind: 'administrator', id: null, name: null }
    : { kind: 'user', id: user.id, name: user.name };
}

/** Somebody who is signed in and has at least this role in all projects. @throws ApiError `unauthorized`, `forbidden` */
export function requireRole(context: Context, req: Request, needed: Role): SignedIn {
  const session = requireSession(context, req);
  const role = roleOf(session.user, null);
  if (!isAtLeast(role, needed)) throw lacksRole(role, needed, 'all projects');
  return session;
}

/** The administrator may do everything. */
export function roleOf(user: User | null, projectId: string | null): Role | null {
  return user === null ? 'owner' : roleIn(user.roles, projectId);
}

const withArticle: Record<Role, string> = { viewer: 'a viewer', editor: 'an editor', owner: 'an owner' };

export function lacksRole(role: Role | null, needed: Role, where = 'this project'): ApiError {
  const held = role === null ? 'you have no role there' : `you are ${withArticle[role]}`;
  return new ApiError(
    'forbidden',
    `This needs ${withArticle[needed]} of ${where}, and ${held}: ask an owner.`,
  );
}

/** A key for all projects, or an owner of all. @throws ApiError `unauthorized`, `forbidden` */
export function requireOwner(context: Context, req: Request, needs: Needs): void {
  if (isFromDashboard(context, req)) requireRole(context, req, 'owner');
  else requireAllProjectsKey(context, req, needs);
}

function isFromDashboard(context: Context, req: Request): boolean {
  return req.get('authorization') === undefined && findSession(context, req) !== undefined;
}

/**
 * The project of the path, if the request's key has the scope there, or if it has no key and comes from the dashboard of
 * somebody with the role.
 *
 * @throws ApiError `unauthorized`; `forbidden`, the same whether or not the project exists; `not_found` only to
 * keys and people that have to do with all projects.
 */
export function authorizedProject(context: Context, req: Request, needs: Needs): LiveProject {
  return isFromDashboard(context, req)
    ? sessionProject(context, req, needs).project
    : keyAndProject(context, req, needs).project;
}

/** All projects that the request's key covers; without a key, those in which one has a role. @throws ApiError */
export function authorizedProjects(context: Context, req: Request, needs: Needs): LiveProject[] {
  const projects = [...context.registry.projects()];
  const session = req.get('authorization') === undefined ? findSession(context, req) : undefined;
  if (session) return projects.filter(({ id }) => roleOf(session.user, id) !== null);
  const key = requireKey(context, req, needs);
  return projects.filter(({ id }) => covers(key, id));
}

/** The same for a key alone, and that key. @throws ApiError as above */
export function keyAndProject(
  context: Context,
  req: Request,
  needs: Needs,
): { project: LiveProject; key: Key } {
  const projectId = String(req.params.projectId);
  const key = requireKey(context, req, needs);
  if (!covers(key, projectId)) throw noAccess(projectId);
  return { project: requireProject(context, projectId), key };
}

/** @throws ApiError `not_found` */
export function requireProject({ registry }: Context, projectId: string): LiveProject {
  const project = registry.project(projectId);
  if (!project) throw new ApiError('not_found', 'There is no such project: check its id.');
  return project;
}

/** @throws ApiError `unauthorized`, `forbidden` */
export function requireAllProjectsKey(context: Context, req: Request, needs: Needs): Key {
  const key = requireKey(context, req, needs);
  if (key.projectId === null) return key;
  throw new ApiError('forbidden', `This key is for one project: use an ${needs.scope} key for all projects.`);
}

/** The project of the path, for somebody with at least this role, and which it is. @throws ApiError as above */
export function sessionProject(
  context: Context,
  req: Request,
  { role: needed }: Needs,
): { project: LiveProject; role: Role } {
  const { user } = requireSession(context, req);
  const projectId = String(req.params.projectId);
  const project = context.registry.project(projectId);
  // A caller with access to some projects does not learn which others there are.
  if (!project && roleOf(user, null) !== null) throw noProject();
  const role = project ? roleOf(user, projectId) : null;
  if (!project || role === null || !isAtLeast(role, needed)) throw lacksRole(role, needed);
  return { project, role };
}

/** A project that the dashboard still shows. */
export function noProject(): ApiError {
  return new ApiError('not_found', 'There is no such project: it may have been removed.');
}

/** The project that the link of the path shows. @throws ApiError `not_found`, the same for all that is wrong with it */
export function linkedProject({ registry }: Context, req: Request, kind: Link['kind']): LiveProject {
  const link = registry.link(String(req.params.token));
  const project = link?.kind === kind ? registry.project(link.projectId) : undefined;
  if (!project)
    throw new ApiError('not_found', 'There is nothing at this address: the link may have been revoked.');
  return project;
}

/**
 * The project that hits are sent to: the key's own, or the one named with a key for all projects.
 *
 * @throws ApiError `forbidden`, `not_found`, or `invalid` where a project must be named.
 */
export async function coveredProject(
  { registry }: Context,
  key: Key,
  named: string | undefined,
): Promise<string> {
  const projectId = named ?? key.projectId;
  if (projectId === null) {
    throw new ApiError('invalid', 'This key is for all projects: name one as "project".', {
      details: [{ message: 'is missing', path: 'project' }],
    });
  }
  if (!covers(key, projectId)) throw noAccess(projectId);
  if (!registry.project(projectId)) await registry.catchUp();
  if (!registry.project(projectId)) {
    throw new ApiError('not_found', 'There is no such project: check its id.');
  }
  return projectId;
}

/** Whether the key is for this project, or for all. */
export function covers(key: Key, projectId: string): boolean {
  return key.projectId === null || key.projectId === projectId;
}
