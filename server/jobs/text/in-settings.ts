import { program } from '../../process/program.ts';

/** Where a person changes a setting of the project: failures are read in the dashboard, in the API's answers and in logs. */
export function inSettings(option: string): string {
  return `in the project's settings, or with "${program} project set ${option}"`;
}
