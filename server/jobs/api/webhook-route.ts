import express, { type Request, type Response } from 'express';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { ApiError } from '../../errors.ts';
import { whenTooLarge } from '../../http/parse.ts';
import { type Call, route } from '../../http/route.ts';
import { parseBoundedJson } from '../../text/bounded-json.ts';
import type { ForgeCall } from '../comments/pull-watch.ts';

const maxBodyBytes = 1_000_000;
const read = express.raw({ limit: maxBodyBytes, type: () => true, inflate: false });

/** What code hosts call when something happens at a repository. */
export const webhookRoute = route({
  name: 'jobs.webhook',
  method: 'POST',
  path: '/v2/agent/:projectId/webhook',
  access: 'signed',
  summary: 'Report that something happened at a pull request',
  description:
    'For the webhook of a repository on GitHub, GitLab, Gitea, Forgejo or Bitbucket, signed with the secret of the project (`forgeWebhookSecret`). Nothing of it is believed: what was written is read at the code host. A project without the secret takes none.',
  headers: {
    'X-Hub-Signature-256': 'By GitHub.',
    'X-Gitea-Signature': 'By Gitea and Forgejo.',
    'X-Hub-Signature': 'By Bitbucket.',
    'X-Gitlab-Token': 'By GitLab; or `webhook-signature`, with `webhook-id` and `webhook-timestamp`.',
  },
  answers: { 202: { says: 'It is looked at soon.' } },
  refusals: ['too_large', 'unsupported_type'],
  handle: takeCall,
});

async function takeCall(context: Context, { project, req, res }: Call<'signed'>): Promise<void> {
  const body = await readBytes(req, res);
  if (!(await isFromForge(context, project.id, req, body))) {
    throw new ApiError(
      'forbidden',
      'This is not signed with the secret of the project: set the same secret here (--forge-webhook-secret-stdin) and in the webhook of the repository.',
    );
  }
  context.forgeCalls.notify({ projectId: project.id, ...(await placeIn(body)) });
}

async function readBytes(req: Request, res: Response): Promise<Buffer> {
  const bytes = await new Promise<unknown>((resolve, reject) => {
    whenTooLarge(req, maxBodyBytes, reject);
    read(req, res, (error?: unknown) => (error === undefined ? resolve(req.body) : reject(error)));
  });
  return Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0);
}

/** A project without the secret takes none. */
async function isFromForge(
  { secrets, now }: Context,
  projectId: string,
  req: Request,
  body: Buffer,
): Promise<boolean> {
  const { forgeWebhookSecret: secret } = await secrets.read(projectId);
  if (secret === undefined) return false;
  // What knows code hosts is loaded where one calls.
  const { isSigned } = await import('../forge/forges.ts');
  return isSigned({ headers: req.headers, body, secret, now: now() });
}

const numbered = z.object({ number: z.int().optional(), iid: z.int().optional() });
const payload = z.object({
  number: z.int().optional(),
  issue: numbered.optional(),
  pull_request: numbered.optional(),
  pullrequest: z.object({ id: z.int().optional() }).optional(),
  check_run: z.object({ pull_requests: z.array(numbered) }).optional(),
  // Of GitLab, whose pipelines and notes have numbers of their own.
  object_kind: z.string().optional(),
  merge_request: numbered.nullish(),
  object_attributes: z.object({ iid: z.int().nullish(), ref: z.string().nullish() }).optional(),
});

/** At which pull request to look, or of which branch; neither: at all. */
async function placeIn(body: Buffer): Promise<Pick<ForgeCall, 'number' | 'branch'>> {
  const { data } = payload.safeParse(await parseBoundedJson(body.toString()).catch(() => undefined));
  if (!data) return {};
  const { object_kind: kind, merge_request, object_attributes: about } = data;
  const own = kind === 'merge_request' ? about?.iid : undefined;
  const number =
    data.pull_request?.number ??
    data.pullrequest?.id ??
    data.issue?.number ??
    merge_request?.iid ??
    own ??
    data.check_run?.pull_requests[0]?.number ??
    data.number;
  if (number !== undefined || kind !== 'pipeline') return { number };
  return { branch: about?.ref ?? undefined };
}
