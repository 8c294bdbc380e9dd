import { z } from 'zod';
import { automationSettings } from '../jobs/automation.ts';
import { imageTypes, maxImageBytes } from '../jobs/image.ts';
import { plain } from '../plain-text.ts';
import { formerCounters, type ReportedCounter, reportedCounters } from '../reports/counters.ts';
import { newSavedView } from '../reports/saved-views.ts';
import { searchNameKinds, searchToolNames } from '../reports/search-engines.ts';
import { cleanOlder, projectSettings } from './project.ts';

/** The newest is another where older versions cannot take the records in. */
const archiveFormats = [1, 2, 3] as const;

const date = z.iso.date();
const time = z
  .string()
  .max(100)
  .refine((time) => !Number.isNaN(Date.parse(time)), 'is no time');
const natural = z.int().min(0);
const text = z.string();
const shortText = z.string().max(1000);
/** Of a version that took other characters, too. */
const line = shortText.overwrite((older) => plain(older));

const jobStatus = z.enum(['completed', 'archived', 'failed']);

/** A line of an exported project. They come in this order, and within a kind in an order of their own. */
export const archiveRecord = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('project'),
    format: z.literal(archiveFormats, 'is of a newer version'),
    id: z.string().regex(/^[\w-]{1,100}$/),
    createdAt: time,
    settings: z.preprocess(cleanOlder, projectSettings),
    /** Days up to this one are sealed; null: none yet. */
    sealedThrough: date.nullable(),
  }),
  /** A sum of one day. `of`: site, path, source, …; `client`: of a pair, the AI client, source or country that it is under. */
  z.object({
    type: z.literal('count'),
    day: date,
    of: shortText,
    client: text.nullable(),
    name: text.nullable(),
    humanVisitors: natural,
    aiVisitors: natural,
    visitors: natural,
    humanViews: natural,
    aiViews: natural,
  }),
  /** Hits that were not counted. */
  z.object({ type: z.literal('dropped'), day: date, reason: shortText, family: shortText, hits: natural }),
  /** Views that count as `(other)`. */
  z.object({
    type: z.literal('nameCap'),
    day: date,
    of: shortText,
    cap: shortText,
    kind: z.int(),
    client: text,
    views: natural,
  }),
  /** A sum of one day that is no view. */
  z.object({
    type: z.literal('tally'),
    day: date,
    tally: z.preprocess(
      (name) => formerCounters[String(name)] ?? name,
      z.enum(reportedCounters as [ReportedCounter, ...ReportedCounter[]]),
    ),
    group: shortText,
    name: text,
    hits: natural,
    amount: natural,
  }),
  /** Counts from access logs. */
  z.object({
    type: z.literal('importedDay'),
    day: date,
    humanViews: natural,
    aiViews: natural,
    lastAt: natural,
  }),
  /** An access log that was counted, so that it is not counted again. */
  z.object({
    type: z.literal('log'),
    headLength: natural,
    headHash: z.string().regex(/^[0-9a-f]{64}$/),
    bytes: natural,
    lines: natural,
  }),
  /** An annotation: a release, a note, or a merged pull request. Files of an older version have it under this name. */
  z.object({
    type: z.literal('mark'),
    id: z.string().regex(/^[\w-]{1,100}$/),
    day: date,
    kind: z.enum(['release', 'note', 'merge']),
    text: line,
    touched: z.array(line).max(1000),
    url: text.nullable(),
    createdAt: natural,
  }),
  /** A saved view of the dashboard. */
  z.object({
    type: z.literal('savedView'),
    id: z.string().regex(/^[\w-]{1,100}$/),
    name: line,
    shows: newSavedView.omit({ name: true }),
    createdAt: natural,
  }),
  /** A version of the rules that classified views of a day. */
  z.object({ type: z.literal('ruleDay'), day: date, version: natural }),
  /** Numbers of a search engine for the site or a name, of a day or a range; positions in hundredths, over impressions. */
  z.object({
    type: z.literal('searchNumbers'),
    tool: z.enum(searchToolNames),
    of: z.enum(['site', ...searchNameKinds]),
    from: date,
    to: date,
    name: text,
    clicks: natural,
    impressions: natural,
    positions: natural.nullable(),
    citations: natural,
    pages: natural.nullable(),
  }),
  z.object({
    type: z.literal('job'),
    id: z.string().regex(/^[\w-]{1,100}$/),
    status: jobStatus,
    repository: text,
    ref: text,
    model: text,
    prLink: text.nullable(),
    createdAt: time,
    archivedAt: time.nullable(),
    activeAt: natural,
    baseBranch: text.nullable(),
    branch: text.nullable(),
    failureCode: text.nullable(),
    failureMessage: text.nullable(),
    /** The automation that it was started by; not in exports of earlier versions. */
    startedBy: z.record(z.string(), z.unknown()).nullable().default(null),
    /** The pull request that it takes back; neither. */
    reverts: text.nullable().default(null),
  }),
  z.object({
    type: z.literal('turn'),
    job: text,
    number: natural,
    prompt: text,
    attempt: natural,
    createdAt: natural,
    record: z.record(z.string(), z.unknown()),
    resumesAt: text.nullable(),
    steps: natural,
    inputTokens: natural,
    outputTokens: natural,
    cachedTokens: natural,
    /** In millionths of a dollar; not in exports of earlier versions. */
    cost: natural.nullable().default(null),
  }),
  /** Of the conversation with the model. */
  z.object({
    type: z.literal('message'),
    job: text,
    turn: natural,
    position: natural.max(2 ** 31 - 2, 'leaves no number for the next message'),
    message: z.unknown(),
  }),
  /** Of the transcript. */
  z.object({
    type: z.literal('event'),
    job: text,
    number: natural,
    turn: natural,
    at: time,
    kind: text,
    data: z.record(z.string(), z.unknown()),
  }),
  /** An automation; it is off after the import, as only one installation may go on with it. */
  z.object({
    type: z.literal('automation'),
    id: z.string().regex(/^[\w-]{1,100}$/),
    settings: automationSettings,
    createdAt: natural,
  }),
  z.object({
    type: z.literal('automationRun'),
    automation: shortText,
    key: text,
    at: natural,
    job: shortText.nullable(),
    reason: text.nullable(),
  }),
  /** The state of a comment at a pull request, so that it is not processed again. */
  z.object({
    type: z.literal('comment'),
    job: text,
    key: shortText,
    state: z.enum(['heard', 'ignored', 'limited', 'spent', 'answered']),
  }),
  /** An image of a prompt; its content in base64. */
  z.object({
    type: z.literal('image'),
    job: text,
    number: natural,
    turn: natural,
    name: line,
    kind: z.enum(imageTypes),
    content: z.string().max(Math.ceil(maxImageBytes / 3) * 4),
  }),
  /** So that an export that was cut is known as such; and what one lacks that was made of a damaged database. */
  z.object({ type: z.literal('end'), records: natural, missing: z.array(line).max(10_000).optional() }),
]);

export type ArchiveRecord = z.infer<typeof archiveRecord>;
export type RecordType = ArchiveRecord['type'];
