import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Of calls that say when they were made. */
const maxAgeMs = 5 * 60 * 1000;

/** Whether a webhook comes from who knows the secret, in the way of any code host. */
export function isSigned(
  headers: IncomingHttpHeaders,
  body: Buffer,
  { secret, now }: { secret: string; now: number },
): boolean {
  const read = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const hex = () => createHmac('sha256', secret).update(body).digest('hex');
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries; Gitea and Forgejo send it, too.
  const github = read('x-hub-signature-256');
  if (github !== undefined) return isSame(github, `sha256=${hex()}`);
  // https://docs.gitea.com/usage/webhooks
  const gitea = read('x-gitea-signature') ?? read('x-forgejo-signature');
  if (gitea !== undefined) return isSame(gitea, hex());
  // https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/; of GitHub it would be a weaker one.
  const bitbucket = read('x-hub-signature');
  if (bitbucket !== undefined) return isSame(bitbucket, `sha256=${hex()}`);
  const signatures = read('webhook-signature');
  if (signatures !== undefined) return isStandard(read, body, { signatures, secret, now });
  // https://docs.gitlab.com/user/project/integrations/webhooks/
  const gitlab = read('x-gitlab-token');
  return gitlab !== undefined && isSame(gitlab, secret);
}

/** GitLab's signing token, of https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
function isStandard(
  read: (name: string) => string | undefined,
  body: Buffer,
  { signatures, secret, now }: { signatures: string; secret: string; now: number },
): boolean {
  const id = read('webhook-id') ?? '';
  const timestamp = read('webhook-timestamp') ?? '';
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp) * 1000) > maxAgeMs) return false;
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  const signed = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return signatures.split(' ').some((one) => isSame(one, `v1,${signed}`));
}

/** In a time that tells nothing of either. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}
