import type { RecipesReply } from '../../shared/replies/automation.ts';
import { useResource } from '../api/resource.ts';

export type Recipes = RecipesReply['recipes'];

/** Empty until they are there. */
export function useRecipes(projectId: string): Recipes {
  return useResource<RecipesReply>(`/v2/agent/${projectId}/recipes`).data?.recipes ?? [];
}

/** @param none what stands for none of them */
export function recipeChoices(recipes: Recipes, none: string): Record<string, string> {
  return { '': none, ...Object.fromEntries(recipes.map(({ name, title }) => [name, title])) };
}
