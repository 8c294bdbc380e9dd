import { z } from 'zod';
import { lazily, type Reply, reply } from '../reply.ts';
import type { SecretName } from '../secrets.ts';
import { exclusionSettings } from './exclusion-settings.ts';
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

const given = someSettings.shape;

/** What of a project is not counted, and the hosts that alone are: `PATCH /v1/projects/{projectId}/exclusions`. */
export const exclusionsChange = z
  .object({
    paths: given.excludedPaths.describe('Globs of paths that are not counted.'),
    addresses: given.excludedAddresses.describe('Addresses and ranges that are not counted.'),
    hosts: given.hosts.describe('Only these hosts are counted; empty: any host.'),
    excludedHosts: given.excludedHosts.describe('Hosts that are not counted.'),
    queries: given.excludedQueries.describe('Query parameters, alone or with a value, that are not counted.'),
    userAgents: given.excludedUserAgents.describe(
      'Parts of user agents, or all of one with `*`, that are not counted.',
    ),
    countries: given.excludedCountries.describe('Codes of countries that are not counted.'),
    asNumbers: given.excludedAsNumbers.describe('Autonomous systems that are not counted.'),
    past: given.excludesPast.describe('Reports leave excluded countries out of earlier days, too.'),
    dataCenters: given.excludesDataCenters.describe(
      'Browsers where anybody may rent machines are not counted.',
    ),
  } satisfies Record<keyof typeof exclusionSettings, z.ZodType>)
  .partial();

const texts = z.array(z.string());

/** `GET /v1/projects/{projectId}/exclusions` */
export const exclusionsReply = reply('Exclusions', () => ({
  ...{ paths: texts, addresses: texts, hosts: texts, excludedHosts: texts, queries: texts },
  ...{ userAgents: texts, countries: texts, asNumbers: texts, past: z.boolean(), dataCenters: z.boolean() },
}));

export type ExclusionsReply = Reply<typeof exclusionsReply>;

/** `PATCH /v1/projects/{projectId}/exclusions` */
export const changedExclusionsReply = lazily(() =>
  exclusionsReply()
    .extend({ warnings: texts.optional().describe('What was accepted and is probably not meant.') })
    .meta({ id: 'ChangedExclusions' }),
);

/** `GET /v1/admin/projects/{projectId}/exclusions` */
export const exclusionHelpReply = reply('ExclusionHelp', () => ({
  address: z.string().describe('Where this request comes from, as a hit would.'),
  network: z
    .string()
    .describe('The range to exclude so that its visitors are left out: an IPv4 address, or a /64.'),
  isExcluded: z.boolean().describe('It is left out already.'),
  dataCenters: z
    .object({
      from: z.iso.date(),
      to: z.iso.date().describe('Exclusive.'),
      inDataCenters: z
        .int()
        .min(0)
        .describe('Views of people where anybody may rent machines, left out or not.'),
      elsewhere: z.int().min(0).describe('Views of people in other networks.'),
    })
    .nullable()
    .describe('The last 30 days, as far as their networks are known; null: nothing is known.'),
  message: z.string().nullable().describe('What is not known of these numbers, and why.'),
}));

export type ExclusionHelpReply = Reply<typeof exclusionHelpReply>;

const fromTo = z.object({ from: z.int().min(0), to: z.int().min(0) });

/** `POST /v1/analytics/{projectId}/exclusions-preview` */
export const exclusionPreviewReply = reply('ExclusionPreview', () => ({
  from: z.iso.date(),
  to: z.iso.date().describe('Exclusive.'),
  rules: z
    .array(
      z.object({
        rule: z.enum(Object.keys(exclusionSettings) as (keyof typeof exclusionSettings)[]),
        views: fromTo.nullable().describe('The least and the most it can be, the same where it is known.'),
        visitors: fromTo.nullable().describe('Each once a day.'),
        message: z.string().nullable().describe('What is not known, and why.'),
      }),
    )
    .describe('Only rules that the project does not have yet.'),
}));

export type ExclusionPreviewReply = Reply<typeof exclusionPreviewReply>;
