import type { ComponentChildren } from 'preact';
import type { CountedDropReason } from '../../../shared/hit.ts';
import { type Dimension, dimensions } from '../../../shared/reports/dimensions.ts';
import type { CellKind } from '../../../shared/reports/report.ts';
import { Pictured } from '../../components/pictured.tsx';
import { codeOfCountry } from '../../formats/country-code.ts';
import { formatDay } from '../../formats/day.ts';
import { nameDevice, nameOperator, nameTrait } from '../../formats/names.ts';
import {
  formatAgo,
  formatBytes,
  formatCount,
  formatDays,
  formatMean,
  formatPrice,
} from '../../formats/number.ts';
import { nameReason } from '../../formats/terms.ts';
import { readable, readablePath, shorten } from '../../formats/text.ts';
import { t } from '../../texts/declared.ts';
import { fill, lookUp } from '../../texts/part.ts';
import { t as report } from '../../texts/report.ts';
import { t as terms } from '../../texts/terms.ts';
import { labelInTable, labelOf } from '../traits.tsx';

export type CellValue = string | number | boolean | null | undefined;

/** Words for a value, where it is one of a few. */
export function wordFor(value: string, as: CellKind): string | undefined {
  if (as === 'names' && Object.hasOwn(dimensions, value)) return report.traits[value as Dimension].title;
  return Object.hasOwn(t.cells, as) ? lookUp(t.cells[as as keyof typeof t.cells], value) : undefined;
}

/** A value as people read it. What is not known is a dash. */
export function writeCell(value: CellValue, as: CellKind): ComponentChildren {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'number') return writeNumber(value, as);
  const text = String(value);
  if (as === 'day') return formatDay(text);
  if (as === 'changed') return fill(t.changedOn, { day: formatDay(text) });
  if (as === 'path' || as === 'page') return <bdi dir="ltr">{shorten(readablePath(nameTrait(text)))}</bdi>;
  if (as === 'source') return labelOf('source')(text);
  if (as === 'country')
    return <bdi>{labelInTable('country', codeOfCountry(text) ?? shorten(readable(text)))}</bdi>;
  if (as === 'device') return <bdi>{shorten(readable(nameDevice(text)))}</bdi>;
  if (as === 'operator') {
    const name = <bdi>{shorten(readable(nameOperator(text)))}</bdi>;
    return (
      <Pictured kind="icon" of={text}>
        {name}
      </Pictured>
    );
  }
  if (as === 'status') return describeStatus(text);
  if (as === 'reason') return describeReason(text as CountedDropReason);
  if (as === 'family') return <bdi>{readable(lookUp(terms.families, text) ?? text)}</bdi>;
  return <bdi>{shorten(readable(wordFor(text, as) ?? nameTrait(text)))}</bdi>;
}

function describeReason(reason: CountedDropReason): ComponentChildren {
  const { name, description } = nameReason(reason);
  return <span title={description}>{name}</span>;
}

function describeStatus(status: string): string {
  const meaning = lookUp(t.statuses, status);
  return meaning === undefined ? status : fill(t.statusAndMeaning, { status, meaning });
}

function writeNumber(value: number, as: CellKind): string {
  if (as === 'bytes') return formatBytes(value);
  if (as === 'price') return formatPrice(value);
  if (as === 'mean') return formatMean(value);
  if (as === 'days') return formatDays(value);
  if (as === 'ago') return formatAgo(value);
  return as === 'count' ? formatCount(value) : String(value);
}
