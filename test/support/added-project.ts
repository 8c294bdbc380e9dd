import { type AddedProject, makeProject } from '../../server/operations/projects.ts';
import type { Store } from '../../server/store/store.ts';

/** Adds a project without the API, as the command does. */
export async function addProject(
  store: Store,
  ...making: Parameters<typeof makeProject>
): Promise<AddedProject> {
  const { project, keys, added } = makeProject(...making);
  await store.addProject(project, keys);
  return added;
}
