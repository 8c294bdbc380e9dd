import { shareReply } from '../../shared/accounts/admin.ts';
import { operationOf, type Report } from '../../shared/reports/report.ts';
import { reports } from '../../shared/reports/reports.ts';
import { exportRoute } from '../analytics/export-route.ts';
import { isUnmeasured, readMeasured } from '../analytics/measured.ts';
import { reportRoutes } from '../analytics/routes.ts';
import type { Context } from '../context.ts';
import { type Call, type Route, route } from '../http/route.ts';

interface Badge {
  name: string;
  /** Null: not measured, and so not on the badge; `ai` likewise. */
  human: number | null;
  ai: number | null;
  days: number;
}

const height = 20;
const padding = 8;
/** What narrow and other letters of 11 pixels take, about: the viewer's font is not known. */
const letterWidths = { narrow: 3.7, other: 7.4 };

interface Part {
  text: string;
  fill: string;
}

/** Fields beside each other: what is counted, people and AI, distinguished by words and not by colour alone. */
export function drawBadge({ name, human, ai, days }: Badge): string {
  const counts = [
    { count: human, noun: human === 1 ? 'person' : 'people', fill: '#1d4ed8' },
    { count: ai, noun: 'AI', fill: '#7c2d92' },
  ].flatMap(({ count, ...rest }) => (count === null ? [] : [{ count, ...rest }]));
  const parts: Part[] = [
    { text: `visitors, ${days} days`, fill: '#374151' },
    ...counts.map(({ count, noun, fill }) => ({ text: `${short(count)} ${noun}`, fill })),
  ];
  const words = counts.map(({ count, noun }) => `${count} ${noun}`).join(', ');
  const title = escapeXml(`${name}, visitors of the last ${days} days: ${words}`);
  let x = 0;
  const drawn = parts.map((part) => {
    const width = widthOf(part);
    const svg = drawPart(part, x, width);
    x += width;
    return svg;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${x}" height="${height}" role="img" aria-label="${title}"><title>${title}</title><clipPath id="c"><rect width="${x}" height="${height}" rx="3"/></clipPath><g clip-path="url(#c)" font-family="system-ui,Verdana,sans-serif" font-size="11" fill="#fff">${drawn.join('')}</g></svg>\n`;
}

function drawPart({ text, fill }: Part, x: number, width: number): string {
  const field = `<rect x="${x}" width="${width}" height="${height}" fill="${fill}"/>`;
  return `${field}<text x="${x + width / 2}" y="14" text-anchor="middle">${escapeXml(text)}</text>`;
}

function widthOf({ text }: Part): number {
  const narrow = text.match(/[ijlrt1.,: ]/g)?.length ?? 0;
  const letters = narrow * letterWidths.narrow + (text.length - narrow) * letterWidths.other;
  return Math.round(letters) + 2 * padding;
}

/** 1234 is 1.2K. */
function short(count: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(count);
}

/** Also what XML does not allow at all: https://www.w3.org/TR/xml/#charsets */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const days = 30;

/** An image of the visitors of the last 30 days, today among them. */
export async function sendBadge(
  context: Context,
  { project: { id, calendar, settings }, res }: Call<'badge_link'>,
): Promise<void> {
  const to = calendar.dayOf(context.now()) + 1;
  const asked = { projectId: id, from: to - days, to };
  const [rows, measured] = await Promise.all([
    context.store.readSeries({ ...asked, filter: {} }),
    readMeasured(context.store, asked),
  ]);
  const sum = (kind: 'human' | 'ai', wasMeasured: boolean | null) => {
    const count = rows.reduce((total, { visitors }) => total + visitors[kind], 0);
    return isUnmeasured(count, wasMeasured) ? null : count;
  };
  const [human, ai] = [sum('human', measured.people), sum('ai', measured.ai)];
  res
    .type('image/svg+xml')
    .set({
      'Cache-Control': 'public, max-age=300',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      // Other sites show it.
      'Cross-Origin-Resource-Policy': 'cross-origin',
    })
    .send(drawBadge({ name: settings.name, human, ai, days }));
}

const ownersOnly = new Set(
  Object.entries<Report>(reports)
    .filter(([, { isPrivate }]) => isPrivate)
    .map(([path]) => `share.${operationOf(path)}`),
);

const ofLink = { access: 'page_link', name: 'share', path: '/v1/share/:token' } as const;
const shared = reportRoutes(ofLink).filter(({ name }) => !ownersOnly.has(name));

/** The reports of a project to everybody who has the link. */
export const shareRoutes: readonly Route[] = [
  route({
    name: 'share.read',
    method: 'GET',
    path: '/v1/share/:token',
    access: 'page_link',
    summary: 'Describe a shared page',
    answers: {
      200: {
        says: 'Name and time zone of the project, and where its numbers are from',
        json: shareReply,
      },
    },
    async handle({ store }, { project: { id, settings } }) {
      const { name, timeZone, seenHosts } = settings;
      return { name, timeZone, isImported: seenHosts.length === 0 && (await store.firstDay(id)) !== null };
    },
  }),
  ...shared,
  exportRoute(ofLink, shared),
  route({
    name: 'share.badge',
    method: 'GET',
    path: '/badge/:token.svg',
    access: 'badge_link',
    summary: "Draw the last 30 days' visitors",
    answers: { 200: { says: 'An image', types: ['image/svg+xml'] } },
    handle: sendBadge,
  }),
];
