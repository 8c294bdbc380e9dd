// Runs one turn and pushes it, in a process of its own that a test may kill at any moment.
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessTo, runTurn, startWorkspace } from './workspace.ts';

const [root = '', url = '', name = ''] = process.argv.slice(2);
const workspace = await startWorkspace({ root });
const access = accessTo(url);
const edit = (tree: { root: string }) => appendFile(join(tree.root, 'page.md'), 'more\n');
const { plan } = await runTurn(workspace, access, edit, { name });
await workspace.push(access, plan);
await workspace.close();
