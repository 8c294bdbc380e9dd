// Runs one turn and pushes it, in a process of its own that a test may kill at any moment.
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessTo, runTurn, startGitClient } from './git-client.ts';

const [root = '', url = '', name = ''] = process.argv.slice(2);
const gitClient = await startGitClient({ root });
const access = accessTo(url);
const edit = (tree: { root: string }) => appendFile(join(tree.root, 'page.md'), 'more\n');
const { plan } = await runTurn(gitClient, access, edit, { name });
await gitClient.push(access, plan);
await gitClient.close();
