import { z } from 'zod';
import { type Reply, reply } from '../reply.ts';
import type { SecretName } from '../secrets.ts';
import { projectSettings } from './project.ts';

const secret = z.string().min(1).max(20_000).nullable();

/** Set by a text, and removed by null. */
export const secretTexts = z
  .object({
    forgeToken: secret,
    githubAppKey: secret,
    repositoryTokens: secret,
    forgeWebhookSecret: secret,
    signingKey: secret,
    webhookUrl: secret,
    webhookSecret: secret,
  } satisfies Record<SecretName, z.ZodType>)
  .partial();

const { shape } = projectSettings.omit({ seenHosts: true });

/** Those without their defaults: settings that are not given stay as they are. */
const someSettings = z
  .object(
    Object.fromEntries(
      Object.entries(shape).map(([name, schema]) => [
        name,
        schema instanceof z.ZodDefault ? schema.unwrap() : schema,
      ]),
    ) as {
      [Name in keyof typeof shape]: (typeof shape)[Name] extends z.ZodDefault<infer T>
        ? T
        : (typeof shape)[Name];
    },
  )
  .partial();

/** `PATCH /v1/projects/{projectId}` */
export const projectChange = someSettings.extend({ secrets: secretTexts.optional() });

/** What of a project is not counted, and the hosts that alone are: `PATCH /v1/projects/{projectId}/exclusions`. */
export const exclusionsChange = z
  .object({
    paths: someSettings.shape.excludedPaths.describe('Globs of paths that are not counted.'),
    addresses: someSettings.shape.excludedAddresses.describe('Addresses and ranges that are not counted.'),
    hosts: someSettings.shape.hosts.describe('Only these hosts are counted; empty: any host.'),
  })
  .partial();

/** `GET /v1/projects/{projectId}/exclusions` */
export const exclusionsReply = reply('Exclusions', () => ({
  paths: z.array(z.string()),
  addresses: z.array(z.string()),
  hosts: z.array(z.string()),
}));

export type ExclusionsReply = Reply<typeof exclusionsReply>;
