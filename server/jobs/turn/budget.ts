import type { LiveProject } from '../../projects/registry.ts';
import type { AgentLimits } from '../agent/limits.ts';
import type { JobServices } from './services.ts';

const perDollar = 1_000_000;
const minuteMs = 60_000;

/** What of the month's budget is left, in millionths of a dollar; below zero where the last turn cost more. */
export async function readBudget(
  { store, now }: Pick<JobServices, 'store' | 'now'>,
  { id, settings }: Pick<LiveProject, 'id' | 'settings'>,
): Promise<number> {
  const { monthlyBudget, timeZone } = settings;
  if (monthlyBudget === null) return Number.POSITIVE_INFINITY;
  const month = Temporal.Instant.fromEpochMilliseconds(now()).toZonedDateTimeISO(timeZone).with({ day: 1 });
  const spent = await store.jobs.readCost(id, month.startOfDay().epochMilliseconds);
  return monthlyBudget * perDollar - spent;
}

/** What a turn may use. @param used what its attempts have cost so far */
export async function limitsOf(
  services: JobServices,
  project: LiveProject,
  used: number | null,
): Promise<AgentLimits> {
  const { agentLimits: usual } = services;
  const { turnSteps, turnTokens, turnMinutes, turnCost } = project.settings;
  const left = (await readBudget(services, project)) + (used ?? 0);
  return {
    ...usual,
    steps: turnSteps ?? usual.steps,
    tokens: turnTokens ?? usual.tokens,
    timeMs: turnMinutes === null ? usual.timeMs : turnMinutes * minuteMs,
    cost: Math.min(turnCost === null ? usual.cost : turnCost * perDollar, left),
  };
}
