import type { Request } from 'express';
import { type LinkReply, type LinksReply, type NewLink, newLinkBody } from '../../shared/admin.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { noProject } from '../http/authorize.ts';
import { type Call, type Route, route } from '../http/route.ts';
import { serverUrl } from '../http/server-url.ts';
import { randomText } from '../projects/key.ts';
import type { Link } from '../store/admin-store.ts';
import { maxBodyBytes, projectPath } from './paths.ts';

type LinkCall<Body = undefined> = Call<'session_project', undefined, Body>;

export const linkRoutes: readonly Route[] = [
  route({
    name: 'admin.links.list',
    method: 'GET',
    path: `${projectPath}/links`,
    access: 'session_project',
    handle: listLinks,
  }),
  route({
    name: 'admin.links.add',
    method: 'POST',
    path: `${projectPath}/links`,
    access: 'session_project',
    body: { schema: newLinkBody, maxBytes: maxBodyBytes, subject: 'The link' },
    handle: addLink,
  }),
  route({
    name: 'admin.links.remove',
    method: 'DELETE',
    path: `${projectPath}/links/:linkId`,
    access: 'session_project',
    handle: removeLink,
  }),
];

function listLinks(context: Context, { project, req, res }: LinkCall): void {
  const links = [...context.registry.links()].filter(({ projectId }) => projectId === project.id);
  res.json({ links: links.map((link) => toReply(context, req, link)) } satisfies LinksReply);
}

async function addLink(context: Context, { project, body, req, res }: LinkCall<NewLink>): Promise<void> {
  const link: Link = {
    id: `link_${randomText(12)}`,
    projectId: project.id,
    kind: body.kind,
    // 62^28 is more than 2^166.
    token: randomText(28),
    createdAt: new Date(context.now()).toISOString(),
  };
  if (!(await context.store.admin.addLink(link))) throw noProject();
  await context.registry.refresh();
  res.status(201).json(toReply(context, req, link));
}

async function removeLink(context: Context, { project, req, res }: LinkCall): Promise<void> {
  if (!(await context.store.admin.removeLink(project.id, String(req.params.linkId)))) {
    throw new ApiError('not_found', 'The project has no such link: it may have been revoked.');
  }
  await context.registry.refresh();
  res.status(204).end();
}

function toReply(context: Context, req: Request, { id, kind, token, createdAt }: Link): LinkReply {
  const path = kind === 'page' ? `/share/${token}` : `/badge/${token}.svg`;
  return { id, kind, url: serverUrl(context, req) + path, createdAt };
}
