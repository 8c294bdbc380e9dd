import { delivery } from './checks/delivery.ts';
import { frontMatter } from './checks/front-matter.ts';
import { links } from './checks/links.ts';
import { navigation } from './checks/navigation.ts';
import { paths } from './checks/paths.ts';
import { residue } from './checks/residue.ts';
import { sources } from './checks/sources.ts';
import { summary } from './checks/summary.ts';
import { syntax } from './checks/syntax.ts';
import type { Check, Outcome } from './task.ts';

/** What holds for every task. */
export const generalChecks: readonly Check[] = [
  delivery,
  paths,
  syntax,
  links,
  navigation,
  frontMatter,
  sources,
  summary,
  residue,
];

export interface Fault {
  check: string;
  problems: string[];
}

/** The checks that an outcome fails. */
export async function judge(outcome: Outcome): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const { name, find } of [...generalChecks, ...outcome.task.checks]) {
    const problems = await find(outcome);
    if (problems.length > 0) faults.push({ check: name, problems });
  }
  return faults;
}
