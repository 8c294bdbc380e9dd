import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { AddedProject } from '../../../server/operations/projects.ts';
import type { Finished } from '../child.ts';
import { runHere } from './command.ts';

interface ProjectCommands {
  home: {
    /** Holds the data folder, and what else a test puts there. */
    folder: string;
    dataDir: string;
    env: Record<string, string>;
    projectId: string;
    /** Everything that any command printed. */
    printed: string;
  };
  run(args: string[], input?: string, env?: Record<string, string>): Promise<Finished>;
  set(args: string[], input?: string, env?: Record<string, string>): Promise<Finished>;
  /** Returns the command's output about the project. */
  mustSet(args: string[], input?: string, env?: Record<string, string>): Promise<object>;
}

/** A project of its own for the tests of a file, and the commands that change it. */
export function projectCommands(): ProjectCommands {
  const home = { folder: '', dataDir: '', env: {}, projectId: '', printed: '' };

  const run: ProjectCommands['run'] = async (args, input = '', env = {}) => {
    const finished = await runHere(args, { ...home.env, ...env }, input);
    home.printed += finished.stdout + finished.stderr;
    return finished;
  };
  const set: ProjectCommands['set'] = (args, input, env) =>
    run(['project', 'set', home.projectId, ...args, '--json'], input, env);

  beforeAll(async () => {
    home.folder = await mkdtemp(join(tmpdir(), 'headcount-settings-'));
    home.dataDir = join(home.folder, 'data');
    home.env = { HEADCOUNT_DATA_DIR: home.dataDir };
    const { stdout } = await run(['project', 'add', '--name', 'Docs', '--json']);
    home.projectId = (JSON.parse(stdout) as AddedProject).projectId;
  });
  afterAll(() => rm(home.folder, { recursive: true, force: true }));

  return {
    home,
    run,
    set,
    mustSet: async (args, input, env) => {
      const { code, stdout, stderr } = await set(args, input, env);
      expect([code, stderr]).toEqual([0, '']);
      return JSON.parse(stdout) as object;
    },
  };
}
