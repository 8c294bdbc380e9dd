import { type DropRule, dropReasonNames, dropReasons } from '../../../shared/drop-reasons.ts';
import type { RuleReason } from '../../counting/drop-rules.ts';
import { type ImportResult, type LineOutcome, outcomes, type Reason } from '../../import/import-result.ts';
import { counted } from '../terminal/progress-line.ts';
import { table } from '../terminal/table.ts';

const inLogs = Object.fromEntries(
  dropReasonNames.map((reason): [RuleReason, string] => {
    const { inLogs, inConsole }: DropRule = dropReasons[reason];
    return [reason as RuleReason, inLogs ?? inConsole];
  }),
) as Record<RuleReason, string>;

const labels: Readonly<Record<LineOutcome, string>> = {
  person: 'people',
  ai: 'AI clients',
  unreadable: 'unreadable',
  method: 'other method than GET or HEAD',
  status: 'other status than 2xx or 304, or a part (206)',
  asset: 'not a page (image, style, script, feed …)',
  prefetch: 'fetched ahead of a visit, or by a script',
  repeated: 'another line of the same request',
  future: 'time lies in the future',
  ...inLogs,
  taken: 'day holds counts from elsewhere',
  unfinished: 'last line, cut off (read again once the file has grown)',
};

const isCounted = (outcome: LineOutcome) => outcome === 'person' || outcome === 'ai';

/** For people: what was counted, and why the rest was not, with the first examples. */
export function describeResult(result: ImportResult): string {
  const shown = outcomes.filter((outcome) => isCounted(outcome) || result.counts[outcome] > 0);
  const rows = (list: readonly LineOutcome[]) =>
    list.map((outcome) => [labels[outcome], counted(result.counts[outcome]).padStart(12)]);
  const examples = shown.flatMap((outcome) =>
    (result.examples.get(outcome as Reason) ?? []).map(({ file, line, text }, i) => [
      i === 0 ? labels[outcome] : '',
      `${file}:${line}`,
      text,
    ]),
  );
  const parts = [
    table(['LINES', counted(result.lines).padStart(12)], []),
    table(['COUNTED', counted(result.hits).padStart(12)], rows(shown.filter(isCounted))),
  ];
  const notCounted = shown.filter((outcome) => !isCounted(outcome));
  if (notCounted.length > 0) {
    const sum = notCounted.reduce((total, outcome) => total + result.counts[outcome], 0);
    parts.push(table(['NOT COUNTED', counted(sum).padStart(12)], rows(notCounted)));
  }
  if (examples.length > 0) parts.push(table(['FIRST EXAMPLES', 'WHERE', 'WHAT'], examples));
  return parts.join('\n');
}

/** For programs. */
export function resultJson(result: ImportResult): object {
  const { person, ai, ...rest } = result.counts;
  return {
    lines: result.lines,
    counted: { people: person, ai },
    notCounted: Object.fromEntries(Object.entries(rest).filter(([, count]) => count > 0)),
    examples: Object.fromEntries(result.examples),
    ...(result.warnings.length > 0 && { warnings: result.warnings }),
  };
}
