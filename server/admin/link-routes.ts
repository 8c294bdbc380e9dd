import type { Request } from 'express';
import { type LinkReply, type LinksReply, type NewLink, newLinkBody } from '../../shared/accounts/admin.ts';
import { addressOf } from '../config/own-address.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { noProject } from '../http/authorize.ts';
import { type Call, type Route, route } from '../http/route.ts';
import { serverUrl } from '../http/server-url.ts';
import { randomText } from '../projects/key.ts';
import type { Link } from '../store/projects.ts';
import { maxBodyBytes, projectPath } from './paths.ts';

type LinkCall<Body = undefined> = Call<'session_project', undefined, Body>;

const replies = () => import('../../shared/replies/admin.ts');

export const linkRoutes: readonly Route[] = [
  route({
    name: 'admin.links.list',
    method: 'GET',
    path: `${projectPath}/links`,
    access: 'session_project',
    role: 'editor',
    summary: 'List the share links of a project',
    answers: { 200: { says: 'Its links', json: async () => (await replies()).linksReply } },
    handle: listLinks,
  }),
  route({
    name: 'admin.links.add',
    method: 'POST',
    path: `${projectPath}/links`,
    access: 'session_project',
    body: { schema: newLinkBody, maxBytes: maxBodyBytes, subject: 'The link' },
    summary: 'Make a share link',
    answers: { 201: { says: 'The new link', json: async () => (await replies()).linkReply } },
    handle: addLink,
  }),
  route({
    name: 'admin.links.remove',
    method: 'DELETE',
    path: `${projectPath}/links/:linkId`,
    access: 'session_project',
    summary: 'Revoke a share link',
    answers: { 204: { says: 'It leads nowhere any more' } },
    handle: removeLink,
  }),
];

function listLinks(context: Context, { project, req }: LinkCall): LinksReply {
  const links = [...context.registry.links()].filter(({ projectId }) => projectId === project.id);
  return { links: links.map((link) => toReply(context, req, link)) };
}

async function addLink(context: Context, { project, body, req }: LinkCall<NewLink>): Promise<LinkReply> {
  const link: Link = {
    id: `link_${randomText(12)}`,
    projectId: project.id,
    kind: body.kind,
    // 62^28 is more than 2^166.
    token: randomText(28),
    createdAt: new Date(context.now()).toISOString(),
  };
  if (!(await context.store.addLink(link))) throw noProject();
  await context.registry.refresh();
  return toReply(context, req, link);
}

async function removeLink(context: Context, { project, req }: LinkCall): Promise<void> {
  if (!(await context.store.removeLink(project.id, String(req.params.linkId)))) {
    throw new ApiError('not_found', 'The project has no such link: it may have been revoked.');
  }
  await context.registry.refresh();
}

function toReply(context: Context, req: Request, { id, kind, token, createdAt }: Link): LinkReply {
  const path = kind === 'page' ? (`/share/${token}` as const) : (`/badge/${token}.svg` as const);
  return { id, kind, url: addressOf(serverUrl(context, req), path), createdAt };
}
