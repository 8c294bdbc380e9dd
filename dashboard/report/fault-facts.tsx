import { type ComponentChildren, Fragment } from 'preact';
import type { FaultReply } from '../../shared/reports/faults.ts';
import { formatDay } from '../formats/day.ts';
import { plural } from '../texts/part.ts';
import { t } from '../texts/worklist.ts';

interface FaultFactsProps {
  fault: FaultReply;
  hasSeverity?: boolean;
}

/** What is wrong with a page, and for how many. */
export function FaultFacts({ fault, hasSeverity = false }: FaultFactsProps) {
  const { kind, severity, detail, readers } = fault;
  const facts: ComponentChildren[] = [
    <strong>{t.kinds[kind]}</strong>,
    ...(hasSeverity ? [t.severities[severity]] : []),
    // Each by itself, as numbers and names would move the dots between them.
    ...(detail === '' ? [] : kind === 'outdated' ? [formatDay(detail)] : detail.split(' · ').map(isolated)),
    ...(readers > 0 ? [plural(t.readers[kind], readers)] : []),
  ];
  return facts.map((fact, index) => (
    <Fragment key={String(index)}>
      {index > 0 && ' · '}
      {fact}
    </Fragment>
  ));
}

const isolated = (part: string) => <bdi>{part}</bdi>;
