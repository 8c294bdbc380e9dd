import type { LinkReply } from '../../shared/accounts/admin.ts';
import { linkReply, linksReply, newLinkBody } from '../../shared/accounts/admin.ts';
import { addressOf } from '../config/own-address.ts';
import { ApiError } from '../errors.ts';
import { noProject } from '../http/authorize.ts';
import { randomText } from '../projects/key.ts';
import type { Link } from '../store/projects.ts';
import { maxBodyBytes, operation, projectPath } from './operation.ts';

const path = `${projectPath}/links`;

function toReply({ id, kind, token, createdAt }: Link, baseUrl: string): LinkReply {
  const address = kind === 'page' ? (`/share/${token}` as const) : (`/badge/${token}.svg` as const);
  return { id, kind, url: addressOf(baseUrl, address), createdAt };
}

/** The share links of a project, which the dashboard alone makes. */
export const linkOperations = [
  operation({
    name: 'admin.links.list',
    method: 'GET',
    path,
    access: 'session_project',
    role: 'editor',
    summary: 'List the share links of a project',
    answers: { 200: { says: 'Its links', json: linksReply } },
    async run({ store }, { project, baseUrl }) {
      const links = (await store.directory()).links.filter(({ projectId }) => projectId === project.id);
      return { links: links.map((link) => toReply(link, baseUrl)) };
    },
  }),
  operation({
    name: 'admin.links.add',
    method: 'POST',
    path,
    access: 'session_project',
    body: { schema: newLinkBody, maxBytes: maxBodyBytes, subject: 'The link' },
    summary: 'Make a share link',
    answers: { 201: { says: 'The new link', json: linkReply } },
    refreshes: 'registry',
    async run({ store, now, entries }, { project: { id: projectId }, body: { kind }, baseUrl }) {
      const createdAt = new Date(now()).toISOString();
      // 62^28 is more than 2^166.
      const link: Link = { id: `link_${randomText(12)}`, projectId, kind, token: randomText(28), createdAt };
      const noted = entries({
        action: 'link.added',
        projectId,
        subject: link.id,
        changes: [`kind: ${kind}`],
      });
      if (!(await store.callAudited('projects', 'addLink', [link], noted))) throw noProject();
      return toReply(link, baseUrl);
    },
  }),
  operation({
    name: 'admin.links.remove',
    method: 'DELETE',
    path: `${path}/:linkId`,
    access: 'session_project',
    summary: 'Revoke a share link',
    answers: { 204: { says: 'The link no longer works' } },
    refreshes: 'registry',
    async run({ store, entries }, { project: { id: projectId }, params: { linkId = '' } }) {
      const revoked = entries({ action: 'link.revoked', projectId, subject: linkId });
      if (await store.callAudited('projects', 'removeLink', [projectId, linkId], revoked)) return;
      throw new ApiError('not_found', 'The project has no such link: it may have been revoked.');
    },
  }),
];
