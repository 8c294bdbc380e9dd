import type { FaultReply } from '../../shared/reports/faults.ts';
import { formatDay } from '../formats/day.ts';
import { t } from '../texts/faults.ts';
import { plural } from '../texts/part.ts';

interface FaultFactsProps {
  fault: FaultReply;
  /** How grave it is. */
  severity?: string;
}

/** What is wrong with a page, and for how many. */
export function FaultFacts({ fault, severity }: FaultFactsProps) {
  const { kind, detail, readers } = fault;
  return (
    <>
      <strong>{t.kinds[kind]}</strong>
      {severity && ` · ${severity}`}
      {/* Each by itself, as numbers and names would move the dots between them. */}
      {detail !== '' && (kind === 'outdated' ? [formatDay(detail)] : detail.split(' · ')).map(isolated)}
      {readers > 0 && ` · ${plural(t.readers[kind], readers)}`}
    </>
  );
}

const isolated = (part: string) => [' · ', <bdi>{part}</bdi>];
