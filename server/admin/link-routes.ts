import type { Request, Response } from 'express';
import { type LinkReply, type LinksReply, newLinkBody } from '../../shared/admin.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { parse } from '../http/parse.ts';
import { serverUrl } from '../http/server-url.ts';
import { randomText } from '../projects/key.ts';
import type { Link } from '../store/admin-store.ts';
import { adminProject, noProject } from './admin-project.ts';

export function listLinks(context: Context, req: Request, res: Response): void {
  const { id } = adminProject(context, String(req.params.projectId));
  const links = [...context.registry.links()].filter(({ projectId }) => projectId === id);
  res.json({ links: links.map((link) => toReply(context, req, link)) } satisfies LinksReply);
}

export async function addLink(context: Context, req: Request, res: Response): Promise<void> {
  const { id: projectId } = adminProject(context, String(req.params.projectId));
  const { kind } = parse(newLinkBody, req.body, 'The link');
  const link: Link = {
    id: `link_${randomText(12)}`,
    projectId,
    kind,
    // 62^28 is more than 2^166.
    token: randomText(28),
    createdAt: new Date(context.now()).toISOString(),
  };
  if (!(await context.store.admin.addLink(link))) throw noProject();
  await context.registry.refresh();
  res.status(201).json(toReply(context, req, link));
}

export async function removeLink(context: Context, req: Request, res: Response): Promise<void> {
  const { id } = adminProject(context, String(req.params.projectId));
  if (!(await context.store.admin.removeLink(id, String(req.params.linkId)))) {
    throw new ApiError('not_found', 'The project has no such link: it may have been revoked.');
  }
  await context.registry.refresh();
  res.status(204).end();
}

function toReply(context: Context, req: Request, { id, kind, token, createdAt }: Link): LinkReply {
  const path = kind === 'page' ? `/share/${token}` : `/badge/${token}.svg`;
  return { id, kind, url: serverUrl(context, req) + path, createdAt };
}
