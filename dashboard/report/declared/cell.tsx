import type { ComponentChildren } from 'preact';
import { dimensionNames, dimensions } from '../../../shared/dimensions.ts';
import { formatDay } from '../../formats/day.ts';
import { nameOperator, nameTrait } from '../../formats/names.ts';
import {
  formatAgo,
  formatBytes,
  formatCount,
  formatDays,
  formatMean,
  formatPrice,
} from '../../formats/number.ts';
import { readable, readablePath, shorten } from '../../formats/text.ts';
import type { CellKind } from './report-rule.ts';

export type CellValue = string | number | boolean | null | undefined;

const words: Partial<Record<CellKind, Readonly<Record<string, string>>>> = {
  form: { html: 'HTML', markdown: 'Markdown' },
  way: { script: 'Script', image: 'Image', report: 'Your server', log: 'Access log', history: 'Imported' },
  names: {
    ...Object.fromEntries(dimensionNames.map((name) => [name, dimensions[name].title])),
    path: 'Pages',
    client: 'AI clients',
    clientProof: 'AI clients and their proofs',
    event: 'Events',
    property: 'Properties of events',
    sourcePath: 'Pages with a source',
    countryPath: 'Pages with a country',
    clientPath: 'Pages of an AI client',
  },
  cap: {
    visitor: 'too many by one visitor',
    network: 'too many by one network',
    client: 'too many by one AI client',
    day: 'too many on one day',
  },
  kind: {
    people: 'people',
    human: 'people',
    ai: 'AI',
    dropped: 'not counted',
    release: 'release',
    note: 'note',
    merge: 'merged pull request',
    rules: 'other rules tell AI apart',
  },
};

const statuses: Readonly<Record<string, string>> = {
  '2xx': 'read',
  '3xx': 'redirected',
  '401': 'asked to sign in',
  '402': 'asked to pay',
  '403': 'refused',
  '404': 'not found',
  '410': 'gone for good',
  '429': 'too many requests',
  '451': 'forbidden by law',
  '5xx': 'server error',
};

/** A value as people read it. What is not known is a dash. */
export function writeCell(value: CellValue, as: CellKind): ComponentChildren {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'number') return writeNumber(value, as);
  const text = String(value);
  if (as === 'day') return formatDay(text);
  if (as === 'path' || as === 'page') return <bdi dir="ltr">{shorten(readablePath(nameTrait(text)))}</bdi>;
  if (as === 'operator') return <bdi>{shorten(readable(nameOperator(text)))}</bdi>;
  if (as === 'status') return statuses[text] ? `${text}, ${statuses[text]}` : text;
  return <bdi>{shorten(readable(words[as]?.[text] ?? nameTrait(text)))}</bdi>;
}

function writeNumber(value: number, as: CellKind): string {
  if (as === 'bytes') return formatBytes(value);
  if (as === 'price') return formatPrice(value);
  if (as === 'mean') return formatMean(value);
  if (as === 'days') return formatDays(value);
  if (as === 'ago') return formatAgo(value);
  return as === 'count' ? formatCount(value) : String(value);
}
