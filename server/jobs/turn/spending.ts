import type { LiveProject } from '../../projects/registry.ts';
import { hasPrice } from '../agent/model/prices.ts';
import { inSettings } from '../text/in-settings.ts';
import { readBudget } from './budget.ts';
import type { JobServices } from './services.ts';

/** Why a project may not spend more; undefined: it may. */
export type SpendingRefusal = string | undefined;

/** What an agent of one's own spends, nobody here sees. */
export async function refuseSpending(
  services: Pick<JobServices, 'store' | 'now'>,
  project: Pick<LiveProject, 'id' | 'settings'>,
  model: string,
): Promise<SpendingRefusal> {
  const { turnCost, monthlyBudget, agentCommand, fallbackModel } = project.settings;
  if ((turnCost === null && monthlyBudget === null) || agentCommand !== null) return undefined;
  const unpriced = [model, fallbackModel].find((name) => name !== null && !hasPrice(name));
  if (unpriced) {
    const which = unpriced === model ? model : `the fallback model ${unpriced}`;
    return `The price of ${which} is not known, so that a limit in dollars cannot be held: choose another model, or limit steps and tokens instead ${inSettings(`${project.id} --turn-cost "" --monthly-budget ""`)}.`;
  }
  if ((await readBudget(services, project)) > 0) return undefined;
  return `The $${monthlyBudget} that jobs of this project may cost in a month are used up: raise the budget ${inSettings(`${project.id} --monthly-budget <dollars>`)}, or wait for the next month.`;
}
