/** Stands between the steps of a funnel. */
export const betweenSteps = ' > ';

/** The steps of a funnel, each as a goal. */
export const stepsOf = (funnel: string): string[] => funnel.split(betweenSteps);

/** Whether a project wants to know where visits came from. */
export function hasGoals(settings: { goals: readonly string[]; funnels: readonly string[] }): boolean {
  return settings.goals.length > 0 || settings.funnels.length > 0;
}
