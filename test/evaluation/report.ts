import { table } from '../../server/commands/terminal/table.ts';
import type { Fault } from './judge.ts';
import type { Outcome } from './task.ts';

/** What came of one run, as far as it is told. */
export interface RunReport {
  faults: Fault[];
  /** In dollars; null: nobody knows the price. */
  cost: number | null;
  tokens: number;
  /** That were added and taken away. */
  lines: number;
}

export interface TaskReport {
  task: string;
  runs: RunReport[];
}

interface Sum {
  passed: number;
  of: number;
  cost: number | null;
  tokens: number;
  lines: number;
}

export function reportOf({ job: { usage }, added, removed }: Outcome, faults: Fault[]): RunReport {
  return {
    faults,
    cost: usage?.cost ?? null,
    tokens: (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0),
    lines: added.length + removed.length,
  };
}

/** All of its runs have to. */
export function passes({ runs }: TaskReport): boolean {
  return runs.every(({ faults }) => faults.length === 0);
}

function sumOf(runs: readonly RunReport[]): Sum {
  const costs = runs.map(({ cost }) => cost);
  const add = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
  return {
    passed: runs.filter(({ faults }) => faults.length === 0).length,
    of: runs.length,
    cost: costs.includes(null) ? null : add(costs.map(Number)),
    tokens: add(runs.map(({ tokens }) => tokens)),
    lines: add(runs.map(({ lines }) => lines)),
  };
}

export function toJson(model: string, reports: readonly TaskReport[]): string {
  const tasks = reports.map((report) => ({
    task: report.task,
    passes: passes(report),
    ...sumOf(report.runs),
    runs: report.runs,
  }));
  const passed = reports.filter(passes).length;
  const sum = { ...sumOf(reports.flatMap(({ runs }) => runs)), passed, of: reports.length };
  return `${JSON.stringify({ model, tasks, sum }, null, 2)}\n`;
}

export function toTable(reports: readonly TaskReport[]): string {
  const row = (name: string, { passed, of, cost, tokens, lines }: Sum, verdict: string) => [
    name,
    verdict,
    `${passed} of ${of}`,
    cost === null ? 'unknown' : `$${cost.toFixed(2)}`,
    String(tokens),
    String(lines),
  ];
  const rows = reports.map((report) =>
    row(report.task, sumOf(report.runs), passes(report) ? 'passed' : 'failed'),
  );
  const all = sumOf(reports.flatMap(({ runs }) => runs));
  const sum = row('sum', all, `${reports.filter(passes).length} of ${reports.length}`);
  const head = ['task', 'result', 'runs', 'cost', 'tokens', 'lines'];
  return `${table(head, [...rows, sum])}${describeFaults(reports)}`;
}

/** What was wrong, under the table. */
function describeFaults(reports: readonly TaskReport[]): string {
  return reports
    .flatMap(({ task, runs }) =>
      runs.flatMap(({ faults }, index) =>
        faults.map(
          ({ check, problems }) =>
            `\n${task}, run ${index + 1}, ${check}:\n${problems.map(indented).join('')}`,
        ),
      ),
    )
    .join('');
}

function indented(problem: string): string {
  return `  ${problem.replaceAll('\n', '\n  ')}\n`;
}
