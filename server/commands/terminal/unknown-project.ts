import { program } from '../../process/program.ts';
import { type LiveProject, Registry } from '../../projects/registry.ts';
import type { ReadOnlyStore } from '../../store/store.ts';
import { CommandError, type Terminal } from './command.ts';

export function unknownProject(projectId: string): CommandError {
  return new CommandError(
    `There is no project ${projectId}: "${program} project list" shows those there are.`,
  );
}

/** @throws CommandError where there is none */
export async function findProject(
  store: ReadOnlyStore,
  projectId: string,
  { log }: Pick<Terminal, 'log'>,
): Promise<LiveProject> {
  const registry = new Registry(store, log);
  await registry.refresh();
  const project = registry.project(projectId);
  if (!project) throw unknownProject(projectId);
  return project;
}
