import type { RecipesReply } from '../../shared/jobs/automation.ts';
import { useResource } from '../api/resource.ts';
import { t } from '../texts/automations.ts';
import { lookUp } from '../texts/part.ts';

export type Recipes = RecipesReply['recipes'];

/** Empty until they are there. */
export function useRecipes(projectId: string): Recipes {
  return useResource<RecipesReply>(`/v2/agent/${projectId}/recipes`).data?.recipes ?? [];
}

/** A newer server may have others, which it names itself. @param none what stands for none of them */
export function recipeChoices(recipes: Recipes, none: string): Record<string, string> {
  const titles = recipes.map(({ name, title }) => [name, lookUp(t.recipes, name) ?? title]);
  return { '': none, ...Object.fromEntries(titles) };
}
