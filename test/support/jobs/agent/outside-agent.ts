/**
 * A program that replaces an outside coding agent: does what its argument says in the folder it is started in.
 * Run by Node as it is.
 */
import { readFileSync, writeFileSync } from 'node:fs';

switch (process.argv[2]) {
  case 'work': {
    const prompt = readFileSync(0, 'utf8');
    process.stderr.write('\u001b[32mworking\u001b[0m\n');
    writeFileSync('page.md', prompt);
    process.stdout.write('Write the page\n\nFrom the prompt.\n');
    break;
  }
  case 'environment':
    process.stdout.write(`${JSON.stringify(process.env)}\n${process.cwd()}\n`);
    break;
  case 'fail':
    process.stderr.write('reading\nThe model is overloaded.\n');
    process.exitCode = 3;
    break;
  case 'flood':
    for (let line = 0; line < 50_000; line += 1) process.stdout.write(`${line} ${'x'.repeat(100)}\n`);
    process.stdout.write(`${'endless '.repeat(20_000)}\nlast\n`);
    break;
  default:
    process.exitCode = 1;
}
