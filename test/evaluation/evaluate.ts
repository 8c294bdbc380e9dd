// Lets a model do the tasks of documentation, and judges it: "npm run eval -- --model <provider/model>".
import { readOptions, WrongUse } from './options.ts';
import { passes, toJson, toTable } from './report.ts';

async function main(): Promise<number> {
  const wish = readOptions(process.argv.slice(2), process.env);
  if ('show' in wish) {
    process.stdout.write(wish.show);
    return 0;
  }
  // A whole server, which is not needed to say what is wrong with the words.
  const { evaluate } = await import('./model-run.ts');
  const reports = await evaluate(wish.run);
  process.stdout.write(wish.run.isJson ? toJson(wish.run.model, reports) : toTable(reports));
  return reports.every(passes) ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof WrongUse)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
