import { program } from '../../process/program.ts';
import { CommandError } from './command.ts';

export function unknownProject(projectId: string): CommandError {
  return new CommandError(
    `There is no project ${projectId}: "${program} project list" shows those there are.`,
  );
}
